// One request to the API: limits first, then the token, then the document.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { DocumentRefusal, execute, FieldRefusal } from './execute.ts'
import type { Passed } from './limits.ts'
import { type Operation, parse, SyntaxRefusal } from './parse.ts'
import { SCHEMA } from './schema.ts'
import type { Account, State } from './state.ts'

const MOST_CHANGES = 10

export interface Rules {
  readonly pass: (nowMs: number) => Passed
  /** Field errors have status 200. */
  readonly errorsWith200: boolean
  /** Errors name their field. */
  readonly errorsWithPath: boolean
  /** Failing fields: name, status, and the remaining number of failures. */
  readonly broken: Map<string, { readonly status: number; after: number; times: number }>
}

export async function answer(state: State, rules: Rules, request: UpstreamRequest): Promise<UpstreamReply> {
  if (request.method !== 'POST') return { status: 405, text: '' }
  const { refused, headers } = rules.pass(state.nowMs())
  const reply = (status: number, json: object): UpstreamReply => ({ status, headers, json })
  const whole = (status: number, message: string) =>
    reply(status, { errors: [{ message, status, locations: [{ line: 1, column: 1 }] }], data: null })
  if (refused) return whole(429, 'Too Many Requests.')
  if (state.isInMaintenance) return whole(403, 'The AniList API has been temporarily disabled due to stability issues.')
  const viewer = viewerOf(state, request)
  if (viewer === 'invalid') return whole(400, 'Invalid token')
  const { query, variables, operationName } = (await request.json()) as {
    query?: unknown
    variables?: unknown
    operationName?: unknown
  }
  try {
    const document = parse(String(query ?? ''))
    const operation = document.operations.find(({ name }) => operationName == null || name === operationName)
    if (operation === undefined || (document.operations.length > 1 && operationName == null))
      return whole(400, 'Must provide operation name.')
    if (changes(operation) > MOST_CHANGES) return whole(400, 'Max query complexity should be 500 but got more.')
    const { data, errors } = execute(
      SCHEMA,
      document,
      operation,
      (variables ?? {}) as Record<string, unknown>,
      { state, viewer },
      (name) => breakIf(rules, name),
    )
    const [first] = errors
    if (first === undefined) return reply(200, { data })
    const shown = errors.map(({ path, ...error }) => ({
      ...error,
      locations: [{ line: 1, column: 1 }],
      ...(rules.errorsWithPath ? { path } : {}),
    }))
    return reply(rules.errorsWith200 ? 200 : first.status, { errors: shown, data })
  } catch (error) {
    if (error instanceof SyntaxRefusal || error instanceof DocumentRefusal) return whole(400, error.message)
    throw error
  }
}

function breakIf({ broken }: Rules, name: string): void {
  const found = broken.get(name)
  if (found === undefined) return
  if (found.after > 0) found.after -= 1
  else if (found.times > 0) {
    found.times -= 1
    throw new FieldRefusal(found.status, 'something went wrong')
  }
}

function changes({ type, selections }: Operation): number {
  return type === 'mutation' ? selections.length : 0
}

function viewerOf(state: State, { headers }: UpstreamRequest): Account | 'invalid' | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  const token = state.tokens.get(authorization.replace(/^Bearer /, ''))
  return token === undefined || token.expiresAtMs <= state.nowMs() ? 'invalid' : token.account
}
