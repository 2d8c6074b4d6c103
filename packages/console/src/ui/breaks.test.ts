/** Where the lines of a long name break. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { withBreaks } from './breaks.tsx'

const shown = (text: string) => renderToStaticMarkup(withBreaks(text)).replaceAll('<wbr/>', '|')

test('a long name breaks between its words, and nothing else is touched', () => {
  expect(shown('github_list_repositories')).toBe('github_|list_|repositories')
  expect(shown('erp__search_invoice_00005')).toBe('erp__|search_|invoice_|00005')
  expect(shown('shop-api__listOrders')).toBe('shop-|api__|listOrders')
  expect(shown('ada.okafor@meridian.example')).toBe('ada.|okafor|@meridian.|example')
  for (const text of ['Search the invoices of a/b', 'demo', '…', '', '-', '__x']) expect(shown(text)).toBe(text)
})
