// Runs the tests in groups: the files of one area share a process, and there is one process more than processors, because
// groups wait for disks and timers a quarter of their time.
//
//   npm test                          all but the slow proofs, with properties at a quarter of their runs
//   npm run test:all                  everything, with all runs
//   npm run test:all -- --shard 2/8   the second eighth of it
//   node test/run.ts test/sync        files or folders
//   node test/x.test.ts               one file alone
//
// --times says what each file took; --seed <number> repeats the properties of another day; --order <number> shuffles groups and files.
// A file whose first lines say `// slow: <why>` belongs to test:all; `// alone: <why>` gives it a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Group, groupsOf, shardOf, shuffle } from './run/groups.ts'
import { listTests } from './run/list.ts'
import { timeFixedWork } from './run/machine-speed.ts'
import { processorSeconds, processorSecondsOfChildren } from './run/processor-time.ts'
import { readResults } from './run/results.ts'
import { makeSnapshots, sweepCaches } from './shared-caches.ts'

const ROOT = join(import.meta.dirname, '..')
// A group without output for this long hangs. The limit is far above any pause, because loaded machines are slow.
const SILENCE_MS = 15 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    shard: { type: 'string' },
    seed: { type: 'string' },
    order: { type: 'string' },
    jobs: { type: 'string' },
    /** Prints the CPU seconds of each file, and the memory of its process afterwards. */
    times: { type: 'boolean', default: false },
    /** Source checks that run in parallel with the tests, as npm scripts. */
    beside: { type: 'string', multiple: true, default: [] },
  },
})

const started = Date.now()
const seed = values.seed ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')
const files = await listTests(ROOT, positionals)
const chosen = files.filter(({ slow }) => values.all || positionals.length > 0 || slow === undefined)
let groups = groupsOf(chosen)
if (values.shard !== undefined) groups = shardOf(groups, values.shard)
if (values.order !== undefined) groups = shuffle(groups, Number(values.order))

const count = groups.reduce((sum, { files }) => sum + files.length, 0)
console.log(
  `${count} of ${files.length} test files in ${groups.length} groups; properties with seed ${seed}` +
    `${values.all ? '' : ' and a quarter of their runs'}`,
)
await sweepCaches()
const snapshots = await makeSnapshots()

let failed = 0
let assertions = 0
// The first one is slow, because nothing is compiled.
timeFixedWork()
/** Of the fixed work, at the start of each group. */
const fixedSeconds: number[] = []
/** Of each failed group, what failed first: what fails after it may be its result. */
const causes: string[] = []
const queue = [...values.beside.map((script) => ({ script })), ...groups]
await Promise.all(
  Array.from({ length: Number(values.jobs ?? availableParallelism() + 1) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if ('script' in next) await runScript(next.script)
      else await runGroup(next)
    }
  }),
)

if (causes.length > 0) console.log(`\nFailed first, in each group:\n\n${causes.join('\n\n')}`)
const processor = processorSeconds() + processorSecondsOfChildren()
const fixed = fixedSeconds.reduce((sum, seconds) => sum + seconds, 0) / fixedSeconds.length
console.log(
  `\n${failed === 0 ? 'All passed' : `${failed} failed`}: ${count} files, ${assertions} assertions, ` +
    `${Math.round((Date.now() - started) / 1000)} s, ${Number.isNaN(processor) ? 'unknown' : Math.round(processor)} s of processor time, ` +
    `${Math.round(processor / fixed)} times a fixed work of ${Math.round(fixed * 1000)} ms`,
)
process.exitCode = failed === 0 ? 0 : 1

async function runScript(script: string): Promise<void> {
  const child = spawn('npm', ['run', '--silent', script], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  const [code] = await once(child, 'close')
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  npm run ${script}`)
  if (code !== 0) {
    failed++
    causes.push(`npm run ${script}`)
    console.log(output.join(''))
  }
}

async function runGroup({ name, files }: Group): Promise<void> {
  fixedSeconds.push(timeFixedWork())
  const child = spawn(process.execPath, [join('test', 'run', 'group.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...snapshots,
      PLAYHEAD_TEST_FILES: files.join(' '),
      PLAYHEAD_TEST_SEED: seed,
      PLAYHEAD_TEST_RUNS: values.all ? '1' : '0.25',
    },
  })
  let last = Date.now()
  child.stdout.on('data', () => (last = Date.now()))
  const watch = new AbortController()
  void (async () => {
    while (Date.now() - last < SILENCE_MS) await sleep(10_000, undefined, { signal: watch.signal })
    child.kill('SIGKILL')
  })().catch(() => {})

  const [results, errors, [code, signal]] = await Promise.all([
    readResults(child.stdout),
    child.stderr.setEncoding('utf8').reduce((all: string, chunk: string) => (all + chunk).slice(-20_000), ''),
    once(child, 'exit'),
  ])
  watch.abort()
  const isWhole = results.files.length === files.length
  const passed = code === 0 && isWhole && results.failures.length === 0
  if (!passed) failed++
  assertions += results.assertions
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${results.processorSeconds.toFixed(1).padStart(6)} s  ${name} (${files.length}), ${results.assertions}`,
  )
  if (values.times) for (const file of results.files) console.log(`         ${file}`)
  if (passed) return
  for (const failure of results.failures) console.log(`\n${failure}`)
  causes.push(
    results.failures[0] ?? `${name}: ended with ${signal ?? `code ${code}`} in ${results.lastFile ?? 'its start'}`,
  )
  if (results.failures.length === 0 || !isWhole)
    console.log(`\nEnded with ${signal ?? `code ${code}`} in ${results.lastFile ?? 'its start'}`)
  if (errors !== '') console.log(errors)
}
