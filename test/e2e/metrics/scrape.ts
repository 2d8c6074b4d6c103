/** What `/metrics` of a gateway shows, read as a scraper reads it. */

export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Scraped {
  readonly text: string
  /** The names of `# TYPE` lines. */
  readonly families: readonly string[]
  readonly series: readonly Series[]
  /** The sum of all series of that name that have these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)(?: # .*)?$/

export async function scrape(
  { address, key }: { readonly address: string; readonly key: string },
  accept = 'text/plain',
): Promise<Scraped> {
  const answer = await fetch(`${address}/metrics`, { headers: { accept, authorization: `Bearer ${key}` } })
  if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`)
  const text = await answer.text()
  const lines = text.split('\n').filter((line) => line !== '')
  const series = lines.filter((line) => !line.startsWith('#')).map(seriesOf)
  return {
    text,
    families: lines.flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []),
    series,
    sum: (name, labels = {}) =>
      series
        .filter(
          (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  }
}

function seriesOf(line: string): Series {
  const [, name = '', labels = '', value] = LINE.exec(line) ?? []
  if (name === '') throw new Error(`not a sample: ${line}`)
  return {
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]),
    ),
    value: Number(value),
  }
}
