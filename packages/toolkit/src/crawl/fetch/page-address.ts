/** The address of a page: http or https, without credentials. Whether it may be reached is judged by `connector.ts`, at each connection. */
import { PageProblem } from '../page-problem.ts'

const MOST = 4_096

/** @param base the page that redirects there. The fragment is dropped: no server sees it. */
export function pageAddress(text: string, base?: URL): URL {
  const url = text.length > MOST ? null : URL.parse(text.trim(), base?.href)
  const problem = () => new PageProblem('The address is not a URL such as https://example.com/page.')
  if (url === null) throw problem()
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new PageProblem(`${url.protocol} addresses are not supported, only http: and https:.`)
  if (url.hostname === '') throw problem()
  if (url.username !== '' || url.password !== '')
    throw new PageProblem('The address contains a user name or password, which is not sent.')
  url.hash = ''
  return url
}
