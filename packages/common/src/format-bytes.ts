/** Bytes as `812 B`, `4.2 KB`, `12 MB`, with a factor of 1,024. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1_000 && unit < 4) {
    size /= 1_024
    unit++
  }
  const digits = unit === 0 || size >= 10 ? Math.round(size).toString() : size.toFixed(1).replace(/\.0$/, '')
  return `${digits} ${['B', 'KB', 'MB', 'GB', 'TB'][unit]}`
}
