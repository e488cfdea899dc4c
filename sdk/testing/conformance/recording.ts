// A recorded exchange: requests and the answers that the service gave to them, one to a line. What a plugin without a
// stand-in is held against; it can be read and broken, and never written to.
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ReceivedRequest, Reply } from '../server.ts'

/** One line of the file. */
export interface Exchange {
  readonly request: {
    readonly method: string
    /** Without the query. */
    readonly path: string
    /** In whatever order. */
    readonly query?: Readonly<Record<string, string>>
    /** Where given, the JSON body has to be equal. */
    readonly body?: unknown
  }
  readonly answer: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly json?: unknown
    readonly body?: string
  }
}

export interface Recording {
  /** The answers to one request come in their order; the last one stays. 501 for what was never asked. */
  answer(request: ReceivedRequest): Reply
}

/** What stands for a credential in a recording begins so. */
export const PLACEHOLDER = 'test-'
const SECRET_NAME = /pass(word)?$|token$|secret$|api_?key$|^authorization$|cookie$|^session(_id)?$|^code$|client_?id$/i
const SECRET_VALUE = /\beyJ[\w-]{8,}\.[\w-]{8,}|\bBearer\s+(?!test-)\S+/

/** Throws an Error that names file and line of what is no exchange, or holds a credential. */
export async function openRecording(file: string | URL): Promise<Recording> {
  const name = file instanceof URL ? file.pathname : file
  const exchanges: Exchange[] = []
  for (const [index, line] of (await readFile(file, 'utf8')).split('\n').entries())
    if (line.trim() !== '') exchanges.push(parse(line, `${name}:${index + 1}`))
  const given = new Map<string, number>()

  return {
    answer(request) {
      const fitting = exchanges.filter((exchange) => fits(exchange, request))
      const key = `${nameOf(request)} ${request.body}`
      const turn = given.get(key) ?? 0
      given.set(key, turn + 1)
      const found = fitting[Math.min(turn, fitting.length - 1)]
      if (found === undefined) return { status: 501, json: { error: `not recorded: ${nameOf(request)}` } }
      return { status: 200, ...found.answer }
    },
  }
}

function nameOf({ method, path, query }: ReceivedRequest): string {
  return `${method} ${path}?${[...query]
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join('&')}`
}

function fits({ request: { method, path, query = {}, body } }: Exchange, asked: ReceivedRequest): boolean {
  if (asked.method !== method || asked.path !== path) return false
  if (
    !isDeepStrictEqual(
      Object.entries(query).sort(),
      [...asked.query].filter(([key]) => key in query || !SECRET_NAME.test(key)).sort(),
    )
  )
    return false
  return body === undefined || (asked.body !== '' && isDeepStrictEqual(asked.json(), body))
}

function parse(line: string, where: string): Exchange {
  let exchange: Partial<Exchange>
  try {
    exchange = JSON.parse(line) as Partial<Exchange>
  } catch {
    throw new Error(`${where}: the line is no JSON.`)
  }
  const { request, answer } = exchange
  if (typeof request?.method !== 'string' || typeof request.path !== 'string' || typeof answer !== 'object')
    throw new Error(
      `${where}: an exchange is {"request": {"method", "path", "query"?, "body"?}, "answer": {"status"?, "headers"?, "json"? or "body"?}}.`,
    )
  const secret = secretIn(exchange)
  if (secret !== undefined)
    throw new Error(`${where}: ${secret} holds a credential. Write "${PLACEHOLDER}…" in its place, or leave it out.`)
  return { request, answer }
}

/** Where a credential is; the value itself is never told. */
function secretIn(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value === 'string') {
    const isNamed = SECRET_NAME.test(path.at(-1) ?? '') && value !== '' && !value.startsWith(PLACEHOLDER)
    return isNamed || SECRET_VALUE.test(value) ? path.join('.') : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, below] of Object.entries(value)) {
    const found = secretIn(below, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}
