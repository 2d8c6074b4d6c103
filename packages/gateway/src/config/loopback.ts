/** Addresses of this machine. */
const LOOPBACK = /^(127(\.\d+){3}|::1|localhost)$/
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)
