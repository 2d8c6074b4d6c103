/** Hands a file that is in memory to whoever sits in front of the browser. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads it after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
