// `npm run generate:examples`: writes the examples of the API description (api.json beside each plugin.json) from the demo: it
// signs in to stand-ins, creates pairs, runs, and calls every possible operation. Examples that the demo cannot produce are
// kept, and so are examples that differ only in values.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOTES_FILE, type Notes, type OperationNotes } from '../../core/http/openapi/notes.ts'
import { type Played, startDescribedService } from './described-service.ts'
import { CALLS, LAST_CALLS } from './example-calls.ts'
import { hasSameShape } from './same-shape.ts'
import { steady } from './steady.ts'

const CORE = join(import.meta.dirname, '../../core/http/openapi')
const MAX_BYTES = 6_000
const MAX_TEXT = 600

const directory = await mkdtemp(join(tmpdir(), 'playhead-examples-'))
await using stack = new AsyncDisposableStack()
stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
const service = stack.use(await startDescribedService(directory, { logTo: (text) => void process.stderr.write(text) }))
const recorded = new Map<string, OperationNotes>()
const covered = new Set([...CALLS, ...LAST_CALLS].map(({ name }) => name))
for (const call of [...CALLS, ...service.parameterless.filter(({ name }) => !covered.has(name)), ...LAST_CALLS])
  record(await service.play(call))
await writeNotes()

function record({ name, operation, given, status, type, body }: Played): void {
  if (status >= 400)
    return void process.stderr.write(`${name} answered ${status}: ${JSON.stringify(body).slice(0, 200)}\n`)
  if (type !== 'application/json' && (!type.startsWith('text/') || type === 'text/event-stream')) return
  const response: unknown = typeof body === 'string' ? body.slice(0, MAX_TEXT) : body
  const schema = operation.responses[String(status)]?.content?.[type]?.schema
  const example = steady(
    { ...given, ...(status === 200 ? {} : { status }), response },
    schema,
    service.description.components.schemas,
  )
  if (JSON.stringify(example).length > MAX_BYTES) process.stderr.write(`${name} is long\n`)
  recorded.set(name, example as OperationNotes)
}

async function writeNotes(): Promise<void> {
  const owners = new Map<string, string>()
  for (const { directory: folder } of service.playhead.host.described()) {
    const manifest = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8')) as {
      routes?: { method: string; path: string }[]
    }
    for (const { method, path } of manifest.routes ?? [])
      owners.set(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, folder)
  }
  const byFolder = Map.groupBy(recorded, ([name]) => owners.get(name) ?? CORE)
  for (const [folder, own] of byFolder) {
    const file = join(folder, NOTES_FILE)
    const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Notes
    const operations: Record<string, OperationNotes> = { ...before.operations }
    for (const [name, notes] of own) {
      const { errors, ...example } = before.operations?.[name] ?? {}
      if (!hasSameShape(example, notes)) operations[name] = { ...(errors === undefined ? {} : { errors }), ...notes }
    }
    const sorted = Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1)))
    await writeFile(file, `${JSON.stringify({ ...before, operations: sorted }, null, 1)}\n`)
  }
  process.stdout.write(`${recorded.size} examples in ${byFolder.size} files\n`)
}
