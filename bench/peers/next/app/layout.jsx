import { Frame } from './frame.jsx'

export default function RootLayout ({ children }) {
  return (
    <html lang="en">
      <body><Frame>{children}</Frame></body>
    </html>
  )
}
