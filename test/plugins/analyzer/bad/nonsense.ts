// A rule with a different invalid result each time; the test's environment selects it.
import { defineAnalyzer, type Finding } from '@playhead/sdk/analyzer'

const problem = { type: 'nonsense', severity: 'warn', category: 'ids', meaning: 'Something.' } as const
const circular: Record<string, unknown> = {}
circular['self'] = circular

const answers: Readonly<Record<string, unknown>> = {
  undeclared: [{ type: 'missing_peer' }],
  text: 'no list of findings',
  number: 7,
  objects: [null],
  row: [{ type: 'nonsense', key: 'movie:tmdb:999999' }],
  severity: [{ type: 'nonsense', severity: 'terrible' }],
  circular: [{ type: 'nonsense', fields: circular }],
  long: [{ type: 'nonsense', fields: { text: 'x'.repeat(10_000) } }],
  functions: [{ type: 'nonsense', fields: () => {} }],
  promise: Promise.resolve([]),
}

export const NONSENSE = Object.keys(answers)

export const nonsense = (name: string) =>
  defineAnalyzer({
    label: 'Nonsense',
    problems: [problem],
    needs: { features: ['watchlist'] },
    inspect: () => answers[name] as Iterable<Finding>,
  })

export default nonsense('undeclared')
