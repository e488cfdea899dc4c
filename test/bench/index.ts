// `npm run bench -- <name>`: measures and prints; asserts nothing. Every figure is a ratio within one run, a count, or a time
// with its spread, because machines differ.
import { writeFile } from 'node:fs/promises'

const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  start: async () => (await import('./start.ts')).benchStart(),
  lists: async () => (await import('./lists.ts')).benchLists(),
  mixed: async () => (await import('./mixed.ts')).benchMixed(),
  host: async () => (await import('./host.ts')).benchHost(),
  sync: async () => (await import('./sync.ts')).benchSync(),
  write: async () => (await import('./write.ts')).benchWrite(),
  scrobble: async () => (await import('./scrobble.ts')).benchScrobble(),
  events: async () => (await import('./events.ts')).benchEvents(),
  editor: async () => (await import('./editor.ts')).benchEditor(),
  added: async () => (await import('./added.ts')).benchAdded(),
  isolation: async () => (await import('./isolation.ts')).benchIsolation(),
  analyzer: async () => (await import('./analyzer.ts')).benchAnalyzer(),
  imports: async () => (await import('./imports.ts')).benchImports(),
  anime: async () => (await import('./anime.ts')).benchAnime(),
  captures: async () => (await import('./captures.ts')).benchCaptures(),
  ui: async () => (await import('./ui-pages.ts')).benchPages(),
  'ui-large': async () => (await import('./ui-large.ts')).benchLargeLists(),
  providers: async () => (await import('./providers/index.ts')).benchProviders(),
}

export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The target, for the reader. */
  readonly aim?: string
}

const wanted = process.argv[2] ?? 'all'
const names = wanted === 'all' ? Object.keys(BENCHES) : [wanted]
const results: Record<string, readonly Figure[]> = {}
for (const name of names) {
  const bench = BENCHES[name]
  if (bench === undefined) {
    console.error(`There is no bench "${name}". There are: ${Object.keys(BENCHES).join(', ')}.`)
    process.exit(1)
  }
  results[name] = await bench()
  console.log(`\n${name}`)
  const width = Math.max(...results[name].map(({ what }) => what.length))
  for (const { what, value, unit, aim } of results[name]) {
    console.log(
      `  ${what.padEnd(width)}  ${String(Number(value.toPrecision(4))).padStart(9)} ${unit.padEnd(6)} ${aim === undefined ? '' : `aim: ${aim}`}`,
    )
  }
}
await writeFile('bench-results.json', `${JSON.stringify(results, null, 2)}\n`)
console.log('\nbench-results.json holds the same as JSON.')
process.exit(0)
