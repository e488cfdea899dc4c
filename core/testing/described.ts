// The described statuses of each operation, with their reasons. Every response in a test must be one of them.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { errorComponents } from '../http/openapi/error-answers.ts'
import { ROOT } from '../installation.ts'
import { addNotes, CORE_NOTES, NOTES_FILE, type Notes } from '../http/openapi/notes.ts'
import { completeOperation, type Operation } from '../http/openapi/operation.ts'

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const named = (method: string, path: string) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
const CODE = /^[a-z]\w+$/

/** Notes on bundled operations; those of test plugins are not included. */
function findNotes(): ReadonlyMap<string, () => Notes> {
  const notes = new Map<string, () => Notes>()
  const core = read(join(CORE_NOTES, NOTES_FILE)) as Notes
  for (const name of Object.keys(core.operations ?? {})) notes.set(name, () => core)
  for (const file of globSync(`plugins/*/*/${NOTES_FILE}`, { cwd: ROOT })) {
    const folder = join(ROOT, dirname(file))
    const { routes = [] } = read(join(folder, 'plugin.json')) as { routes?: { method: string; path: string }[] }
    let own: Notes | undefined
    for (const { method, path } of routes)
      notes.set(named(method, path), () => (own ??= read(join(folder, NOTES_FILE)) as Notes))
  }
  return notes
}

let found: ReadonlyMap<string, () => Notes> | undefined
const known = new Map<string, Operation['responses']>()
const shared = () => errorComponents(() => true).responses as Readonly<Record<string, { readonly description: string }>>

/** Returns the parts of a response that the description lacks. */
export function undescribed(
  { method, routeOptions }: FastifyRequest,
  status: number,
  body: unknown,
): string | undefined {
  const { url = '', schema, config } = routeOptions
  const own = (found ??= findNotes()).get(named(method, url))
  if (own === undefined) return undefined
  const answers = known.getOrInsertComputed(named(method, url), (name) => {
    // As in the library: without schemas, only 200.
    const responses = (schema?.response ?? { 200: {} }) as Operation['responses']
    const operation: Operation = { responses: { ...responses } }
    completeOperation(operation, { method, url, schema, config } as never, method)
    addNotes(operation, name, own())
    return operation.responses
  })
  const answer = answers[status]
  const { ok, error, reason } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (answer === undefined)
    return `${method} ${url} ${status} ${String(error ?? '')}: the description does not have this status`
  if (typeof error !== 'string' || (status < 400 && ok !== false)) return undefined
  const code = typeof reason !== 'string' || CODE.test(error) ? error : reason
  const { $ref, description = '' } = answer
  const told = $ref === undefined ? description : shared()[$ref.split('/').at(-1) ?? '']?.description
  // Numbers in a path are replaced by `…`.
  if ([code, code.replaceAll(/\d+/g, '…')].some((one) => told?.includes(`- \`${one}\``))) return undefined
  return `${method} ${url} ${status} ${code}: the description does not name this reason; add it to api.json beside the plugin.json`
}
