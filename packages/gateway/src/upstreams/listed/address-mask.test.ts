import { describe, expect, test } from 'vitest'
import { createAddressMask } from './address-mask.ts'

describe('the address of a backend', () => {
  test.each([
    ['http://backend:8000', 'see http://backend:8000/docs', 'see [backend]/docs'],
    ['http://backend:8000', 'backend:8000 refused; the backend is busy', '[backend] refused; the backend is busy'],
    ['http://backend:8000', String.raw`"http:\/\/backend:8000\/a"`, String.raw`"[backend]\/a"`],
    ['https://api.example.com/base', 'HTTPS://API.example.com/x and api.example.com', '[backend]/x and [backend]'],
    [
      'http://10.0.0.7:8000',
      'connect ECONNREFUSED 10.0.0.7:8000 (10.0.0.7)',
      'connect ECONNREFUSED [backend] ([backend])',
    ],
    ['http://[::1]:8000', 'at [::1]:8000 or ::1', 'at [backend] or [backend]'],
    ['http://backend', 'http://backend/x is the backend', '[backend]/x is the backend'],
    ['http://localhost:8000', 'localhost:8000 and localhost', '[backend] and localhost'],
  ])('of %s is taken out of %j', (url, text, hidden) => expect(createAddressMask(new URL(url))(text)).toBe(hidden))
})
