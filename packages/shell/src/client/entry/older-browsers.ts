// Functions that the code of the browser calls, and that the oldest browsers for which Vite builds do not have: Chrome
// 111, Firefox 114, Safari 16.4. Without them, links and forms would do nothing there.

Promise.withResolvers ??= function withResolvers<T>() {
  let settle: Omit<PromiseWithResolvers<T>, 'promise'>
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle! }
}

URL.canParse ??= function canParse(url, base) {
  try {
    return new URL(url, base) instanceof URL
  } catch {
    return false
  }
}
