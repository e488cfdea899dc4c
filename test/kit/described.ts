// The statuses that the description has at each operation, with the reasons that it names. Every answer that a test gets
// must be one of them.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { errorComponents } from '../../core/http/openapi/error-answers.ts'
import { addNotes, type Notes } from '../../core/http/openapi/notes.ts'
import { completeOperation, type Operation } from '../../core/http/openapi/operation.ts'
import { BEYOND, SERVED } from '../contract/table.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
const named = (method: string, path: string) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
const SHARED = errorComponents(() => true).responses as Readonly<Record<string, { readonly description: string }>>
const CODE = /^[a-z]\w+$/

/** By operation that ships; those of plugins that a test wrote are not in it. */
const notes = new Map<string, Notes>()
for (const { method, path } of [...SERVED, ...BEYOND])
  notes.set(named(method, path), read('core/http/openapi/api.json') as Notes)
for (const file of globSync('plugins/*/*/api.json', { cwd: ROOT })) {
  const { routes = [] } = read(join(dirname(file), 'plugin.json')) as { routes?: { method: string; path: string }[] }
  for (const { method, path } of routes) notes.set(named(method, path), read(file) as Notes)
}
const known = new Map<string, Operation['responses']>()

/** What the description lacks of an answer. */
export function undescribed(
  { method, routeOptions }: FastifyRequest,
  status: number,
  body: unknown,
): string | undefined {
  const { url = '', schema, config } = routeOptions
  const own = notes.get(named(method, url))
  if (own === undefined) return undefined
  const answers = known.getOrInsertComputed(named(method, url), (name) => {
    // As the library does it: without schemas, 200 alone.
    const responses = (schema?.response ?? { 200: {} }) as Operation['responses']
    const operation: Operation = { responses: { ...responses } }
    completeOperation(operation, { method, url, schema, config } as never, method)
    addNotes(operation, name, own)
    return operation.responses
  })
  const answer = answers[status]
  const { ok, error, reason } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (answer === undefined)
    return `${method} ${url} ${status} ${String(error ?? '')}: the description does not have this status`
  if (typeof error !== 'string' || (status < 400 && ok !== false)) return undefined
  const code = typeof reason !== 'string' || CODE.test(error) ? error : reason
  const { $ref, description = '' } = answer
  const told = $ref === undefined ? description : SHARED[$ref.split('/').at(-1) ?? '']?.description
  // A number stands as `…`.
  if ([code, code.replaceAll(/\d+/g, '…')].some((one) => told?.includes(`- \`${one}\``))) return undefined
  return `${method} ${url} ${status} ${code}: the description does not name this reason; add it to api.json beside the plugin.json`
}
