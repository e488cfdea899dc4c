// Reads the text format of Prometheus, strictly.
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy

export interface Exposition {
  /** Values by name and labels, as in `up{a="b"}`; labels in order. */
  readonly values: ReadonlyMap<string, number>
  readonly types: ReadonlyMap<string, string>
}

/** Throws for a line that a scraper would reject, for a duplicate series, and for a series of an undeclared type. */
export function parseExposition(text: string): Exposition {
  const values = new Map<string, number>()
  const types = new Map<string, string>()
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  for (const line of text.split('\n')) {
    const declared = /^# (?:HELP \S+ .+|TYPE (\S+) (counter|gauge))$/.exec(line)
    if (declared !== null) {
      if (declared[1] !== undefined) types.set(declared[1], declared[2] as string)
      continue
    }
    if (line === '') continue
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined || !types.has(name)) throw new Error(`not a sample: ${line}`)
    LABEL.lastIndex = 0
    while (LABEL.lastIndex < labels.length) if (LABEL.exec(labels) === null) throw new Error(`not labels: ${line}`)
    const series = labels === '' ? name : `${name}{${labels}}`
    if (values.has(series)) throw new Error(`twice: ${series}`)
    values.set(series, Number(value))
  }
  return { values, types }
}
