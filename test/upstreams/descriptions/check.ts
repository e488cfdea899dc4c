// Checks requests and responses against the published description of an API.
import { Ajv, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import { readFile } from 'node:fs/promises'
import type { Exchange, UpstreamReply } from '../base/index.ts'

interface Operation {
  readonly method: string
  /** With `{name}` for variable parts. */
  readonly path: string
  readonly query: readonly string[]
  /** Schema of the request body; null without a body. */
  readonly body: object | null
  /** Status to schema of the JSON response; null without a schema. */
  readonly answers: Readonly<Record<string, object | null>>
}

export interface Description {
  readonly operations: readonly Operation[]
  readonly definitions: Readonly<Record<string, object>>
}

/** Documented exceptions: known behaviour of a product that its description omits. Keys are `METHOD path`; each has a
 * reason. */
export interface Exceptions {
  /** Operations that the description lacks. */
  readonly undescribed?: Readonly<Record<string, string>>
  /** Operations with another path in the description, named with the reason. */
  readonly paths?: Readonly<Record<string, readonly [operation: string, reason: string]>>
  /** Query parameters by operation. */
  readonly queries?: Readonly<Record<string, readonly [names: readonly string[], reason: string]>>
  /** A status other than the described one, with its response. */
  readonly statuses?: Readonly<Record<string, readonly [answered: number, described: number, reason: string]>>
  /** Complaints about a response that is correct, by their whole text. */
  readonly answers?: Readonly<Record<string, string>>
}

export interface Findings {
  /** Contradictions, each listed once. */
  readonly complaints: readonly string[]
  /** The operations that were used. */
  readonly used: ReadonlySet<string>
  /** Exceptions that were not needed. */
  readonly idle: readonly string[]
}

export async function readDescription(product: string): Promise<Description> {
  return JSON.parse(await readFile(new URL(`${product}.json`, import.meta.url), 'utf8')) as Description
}

export const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>): string => `${method} ${path}`

export async function checkExchanges(
  description: Description,
  exchanges: readonly Exchange[],
  exceptions: Exceptions = {},
): Promise<Findings> {
  const complaints = new Set<string>()
  const used = new Set<string>()
  const needed = new Set<string>()
  const operationOf = createFinder(description.operations)
  const validatorOf = createValidators(description)
  const { undescribed = {}, paths = {}, queries = {}, statuses = {}, answers = {} } = exceptions
  const undescribedAs = createFinder(Object.keys(undescribed).map(parseName))
  const elsewhere = createFinder(Object.keys(paths).map(parseName))

  async function check({ request, reply }: Exchange): Promise<void> {
    const absent = undescribedAs(request)
    const moved = elsewhere(request)
    if (absent !== undefined) {
      needed.add(nameOf(absent))
      return
    }
    if (moved !== undefined) needed.add(nameOf(moved))
    const operation = moved === undefined ? operationOf(request) : named(description, paths[nameOf(moved)]![0])
    if (operation === undefined) {
      complaints.add(`${request.method} ${request.path} is not described`)
      return
    }
    const name = nameOf(operation)
    used.add(name)
    const more = queries[name]?.[0] ?? []
    for (const parameter of request.query.keys()) {
      if (operation.query.includes(parameter)) continue
      if (more.includes(parameter)) needed.add(`${name} ${parameter}`)
      else complaints.add(`${name}: the query has ${parameter}`)
    }
    const sent = operation.body === null ? '' : (await request.body()).toString('utf8')
    if (operation.body !== null && sent !== '') explain(`${name} is sent`, validatorOf(operation.body), JSON.parse(sent))
    if (reply.status < 200 || reply.status > 299) return
    const [answered, described] = statuses[name] ?? []
    if (reply.status === answered) needed.add(`${name} ${answered}`)
    const status = reply.status === answered ? described : reply.status
    const schema = status === 204 && '204' in operation.answers ? null : operation.answers[String(status)]
    if (schema === undefined) complaints.add(`${name}: answers ${reply.status}`)
    else if (schema === null && reply.json !== undefined) complaints.add(`${name}: answers with JSON`)
    else if (schema !== null && reply.json === undefined) {
      if (!inXml(reply)) complaints.add(`${name}: answers without JSON`)
    } else if (schema !== null) explain(name, validatorOf(schema), reply.json)
  }

  function explain(name: string, validate: ValidateFunction, json: unknown): void {
    // Serialize first: clients do not receive undefined members.
    if (validate(JSON.parse(JSON.stringify(json)))) return
    for (const { instancePath, message = '', params } of validate.errors ?? []) {
      const complaint = `${name}: ${instancePath.replaceAll(/\/\d+/g, '/*')} ${message} ${JSON.stringify(params)}`
      if (Object.hasOwn(answers, complaint)) needed.add(complaint)
      else complaints.add(complaint)
    }
  }

  for (const exchange of exchanges) await check(exchange)
  const declared = [
    ...Object.keys(undescribed),
    ...Object.keys(paths),
    ...Object.entries(queries).flatMap(([name, [names]]) => names.map((parameter) => `${name} ${parameter}`)),
    ...Object.entries(statuses).map(([name, [answered]]) => `${name} ${answered}`),
    ...Object.keys(answers),
  ]
  return { complaints: [...complaints].toSorted(), used, idle: declared.filter((name) => !needed.has(name)) }
}

/** Finds an operation by method and path; a path without variable parts has priority. */
function createFinder<T extends Pick<Operation, 'method' | 'path'>>(operations: readonly T[]) {
  const patterns = operations
    .toSorted((one, other) => variables(one.path) - variables(other.path))
    .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`) }))
  return ({ method, path }: { readonly method: string; readonly path: string }): T | undefined =>
    patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation
}

function inXml({ headers }: UpstreamReply): boolean {
  return headers?.['content-type']?.startsWith('application/xml') === true
}

function variables(path: string): number {
  return path.split('{').length
}

function parseName(name: string) {
  const [method = '', path = ''] = name.split(' ')
  return { method, path }
}

function named({ operations }: Description, name: string): Operation {
  const operation = operations.find((one) => nameOf(one) === name)
  if (operation === undefined) throw new Error(`the description has no ${name}`)
  return operation
}

function createValidators({ definitions }: Description): (schema: object) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  const compiled = new Map<object, ValidateFunction>()
  return (schema) => compiled.getOrInsertComputed(schema, () => ajv.compile({ ...schema, definitions }))
}
