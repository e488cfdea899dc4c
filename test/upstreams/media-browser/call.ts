// A request as the routes see it: case-insensitive names, the known caller, and helpers to refuse.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Dialect } from './dialect.ts'
import { findUser, type Item, type Token, type User, type World } from './world.ts'

export interface Call {
  readonly world: World
  readonly dialect: Dialect
  readonly request: UpstreamRequest
  readonly token: Token | undefined
  /** A variable part of the path. */
  param(name: string): string
  /** A query value; its name is case-insensitive. undefined if absent or empty. */
  query(name: string): string | undefined
  /** A list, separated by commas or repeated. */
  list(name: string): string[]
}

export class Refusal extends Error {
  readonly reply: UpstreamReply

  constructor(status: number, message = '') {
    super(message)
    this.reply = { status, text: message }
  }
}

export function createCall(
  base: Pick<Call, 'world' | 'dialect' | 'request' | 'token'>,
  params: Readonly<Record<string, string>>,
): Call {
  const values = new Map<string, string[]>()
  for (const [name, value] of base.request.query) {
    const key = name.toLowerCase()
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return {
    ...base,
    param: (name) => params[name] ?? '',
    query: (name) => values.get(name.toLowerCase())?.[0] || undefined,
    list(name) {
      const parts = (values.get(name.toLowerCase()) ?? []).flatMap((value) => value.split(','))
      return parts.map((part) => part.trim()).filter((part) => part !== '')
    },
  }
}

/**
 * The user of the request, if any: named in path or query, otherwise the caller. Only an administrator may name another
 * user.
 */
export function userOf(call: Call): User | undefined {
  const named = call.param('userId') || call.query('userId')
  const own = call.token?.user
  if (named === undefined || named === '') return own
  const user = findUser(call.world, named)
  const administrator = own === undefined || own.administrator
  if (user !== own && !administrator) throw new Refusal(403)
  if (user === undefined) throw new Refusal(404, 'User not found')
  return user
}

export function requireUser(call: Call): User {
  const user = userOf(call)
  // A server-wide key has no user, so the request must name one.
  if (user === undefined) throw new Refusal(400, 'Error processing request.')
  return user
}

/** The item with that id, if this user may see it. */
export function requireItem(call: Call, id: string, user: User | undefined): Item {
  const item = call.world.items.get(normalizeId(call, id))
  if (item === undefined || !isVisible(call.world, item, user)) throw new Refusal(404, 'Item not found')
  return item
}

/** Where ids are hexadecimal, dashes are optional and anything else is refused. */
export function normalizeId({ dialect }: Call, id: string): string {
  if (dialect.ids === 'decimal') return id
  const plain = id.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(plain)) throw new Refusal(400, `The value '${id}' is not valid.`)
  return plain
}

export function isVisible(world: World, item: Item, user: User | undefined): boolean {
  if (item.type === 'Playlist') return user === undefined || item.public === true || item.ownerId === user.id
  if (user?.libraries === undefined || item.libraryId === undefined) return true
  const name = world.libraries.find(({ id }) => id === item.libraryId)?.name
  return name !== undefined && user.libraries.includes(name)
}

/** The body as an object; refuses any other body. */
export async function readObject({ request }: Call): Promise<Record<string, unknown>> {
  const body = await request.json()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'A non-empty request body is required.')
  return body as Record<string, unknown>
}
