// User data of an item: played, favourite, like, position.
import type { UpstreamReply } from '../base/index.ts'
import { type Call, readObject, Refusal, requireItem, requireUser } from './call.ts'
import { parseIsoDate } from './dates.ts'
import { emptyUserData, markPlayed, markUnplayed, userDataDto, userDataOf } from './user-data.ts'
import { announce, type Item, type User, type UserData } from './world.ts'

export function addPlay(call: Call): UpstreamReply {
  const { user, item } = subject(call)
  const text = call.query('DatePlayed')
  const atMs = text === undefined ? undefined : call.dialect.parsePlayedDate(text)
  if (text !== undefined && atMs === undefined) throw new Refusal(400, `The value '${text}' is not valid.`)
  markPlayed(call.world, user, item, atMs)
  announce(call.world.onUserData, user, item)
  return answer(call, user, item)
}

export function removePlays(call: Call): UpstreamReply {
  const { user, item } = subject(call)
  markUnplayed(call.world, user, item)
  announce(call.world.onUserData, user, item)
  return answer(call, user, item)
}

export const addFavourite = (call: Call): UpstreamReply => change(call, { favourite: true })
export const removeFavourite = (call: Call): UpstreamReply => change(call, { favourite: false })
export const removeRating = (call: Call): UpstreamReply => change(call, { rating: undefined })

/** A like is a high rating, a dislike a low one. */
export function rate(call: Call): UpstreamReply {
  const likes = call.query('Likes')
  return change(call, { rating: likes === undefined ? undefined : likes === 'true' ? 10 : 1 })
}

export const hideFromResume = (call: Call): UpstreamReply =>
  change(call, { hiddenFromResume: call.query('Hide') === 'true' })

export function readUserData(call: Call): UpstreamReply {
  const { user, item } = subject(call)
  return answer(call, user, item)
}

/** Applies the given fields; null and absent fields change nothing. */
export async function mergeUserData(call: Call): Promise<UpstreamReply> {
  const given = readDto(await readObject(call))
  const { user, item } = subject(call)
  save(call, user, item, given)
  return answer(call, user, item)
}

/** Replaces all user data: fields that the object omits are reset. */
export async function replaceUserData(call: Call): Promise<UpstreamReply> {
  const given = readDto(await readObject(call))
  const { user, item } = subject(call)
  save(call, user, item, { ...emptyUserData(), lastPlayedAtMs: undefined, rating: undefined, ...given })
  return { status: 200, text: '' }
}

function subject(call: Call): { user: User; item: Item } {
  const user = requireUser(call)
  return { user, item: requireItem(call, call.param('itemId'), user) }
}

function change(call: Call, changes: Partial<UserData>): UpstreamReply {
  const { user, item } = subject(call)
  save(call, user, item, changes)
  return answer(call, user, item)
}

function save({ world }: Call, user: User, item: Item, changes: Partial<UserData>): void {
  Object.assign(userDataOf(user, item.id), changes, { savedAtMs: world.nowMs() })
  announce(world.onUserData, user, item)
}

function answer(call: Call, user: User, item: Item): UpstreamReply {
  return { status: 200, json: userDataDto(call.world, user, item, call.dialect.showsLikes) }
}

type Reader = (value: unknown) => Partial<UserData>

const READERS: Readonly<Record<string, Reader>> = {
  rating: (value) => ({ rating: within(number(value), 0, 10) }),
  likes: (value) => ({ rating: boolean(value) ? 10 : 1 }),
  playbackpositionticks: (value) => ({ positionTicks: number(value) }),
  playcount: (value) => ({ playCount: number(value) }),
  isfavorite: (value) => ({ favourite: boolean(value) }),
  played: (value) => ({ played: boolean(value) }),
  lastplayeddate: (value) => ({ lastPlayedAtMs: date(value) }),
}

function readDto(body: Readonly<Record<string, unknown>>): Partial<UserData> {
  const given = Object.entries(body).filter(([, value]) => value !== null)
  // A numeric rating takes precedence over the derived like.
  given.sort(([a], [b]) => Number(a.toLowerCase() === 'rating') - Number(b.toLowerCase() === 'rating'))
  return Object.assign({}, ...given.map(([name, value]) => READERS[name.toLowerCase()]?.(value))) as Partial<UserData>
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Refusal(400, 'The JSON value could not be converted.')
  return value
}

function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Refusal(400, 'The JSON value could not be converted.')
  return value
}

function date(value: unknown): number {
  const atMs = typeof value === 'string' ? parseIsoDate(value) : undefined
  if (atMs === undefined) throw new Refusal(400, 'The JSON value could not be converted.')
  return atMs
}

function within(value: number, from: number, to: number): number {
  // Not validated on receipt: storing it fails.
  if (value < from || value > to) throw new Refusal(500, 'Error processing request.')
  return value
}
