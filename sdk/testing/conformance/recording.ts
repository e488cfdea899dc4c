// Recorded exchanges: a request and its response per line. For plugins without a simulator; supports reads and faults,
// no writes.
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ReceivedRequest, Reply } from '../server.ts'

/** One line of the file. */
export interface Exchange {
  readonly request: {
    readonly method: string
    /** Without the query. */
    readonly path: string
    /** In any order. */
    readonly query?: Readonly<Record<string, string>>
    /** If given, the JSON body must be equal. */
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
  /** Responses to equal requests come in order; the last one repeats. 501 for an unknown request. */
  answer(request: ReceivedRequest): Reply
}

/** Prefix of placeholders for credentials. */
const PLACEHOLDER = 'test-'
const SECRET_NAME = /pass(word)?$|token$|secret$|api_?key$|^authorization$|cookie$|^session(_id)?$|^code$|client_?id$/i
const SECRET_VALUE = /\beyJ[\w-]{8,}\.[\w-]{8,}|\bBearer\s+(?!test-)\S+/

/** Throws an Error with file and line for an invalid exchange, or one that contains a credential. */
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
    throw new Error(`${where}: the line is not JSON.`)
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

/** The path of a credential; its value is never reported. */
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
