// Turns the query of a list request into a page of items, with the servers' filters, orders and paging.
import { type Call, isVisible, normalizeId, Refusal } from './call.ts'
import { parseIsoDate } from './dates.ts'
import { isPlayed } from './user-data.ts'
import type { Item, User } from './world.ts'

export interface Page {
  readonly items: readonly Item[]
  readonly total: number
  readonly startIndex: number
}

type Test = (item: Item) => boolean

export function queryItems(call: Call, user: User | undefined): Page {
  const tests = [...plainTests(call), ...(user === undefined ? [] : userTests(call, user))]
  const found = candidates(call).filter(
    (item) => isVisible(call.world, item, user) && tests.every((test) => test(item)),
  )
  return page(call, sort(call, found, user))
}

/** One page of the items; the total is left out on request. */
export function page(call: Call, items: readonly Item[]): Page {
  const startIndex = whole(call, 'StartIndex') ?? 0
  const limit = whole(call, 'Limit')
  const counted = call.query('EnableTotalRecordCount') !== 'false'
  const end = limit === undefined ? undefined : startIndex + limit
  return { items: items.slice(startIndex, end), total: counted ? items.length : 0, startIndex }
}

function whole(call: Call, name: string): number | undefined {
  const text = call.query(name)
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new Refusal(400, `The value '${text}' is not valid.`)
  return Number(text)
}

function candidates(call: Call): readonly Item[] {
  const { world } = call
  const recursive = call.query('Recursive') === 'true'
  const parentId = call.list('ParentId').map((id) => normalizeId(call, id))[0]
  const ids = call.list('Ids').map((id) => normalizeId(call, id))
  if (ids.length > 0) return ids.map((id) => world.items.get(id)).filter((item) => item !== undefined)
  if (parentId === undefined) return recursive ? [...world.items.values()] : []
  const parent = world.items.get(parentId)
  if (parent?.entries !== undefined)
    return parent.entries.map(({ itemId }) => world.items.get(itemId)).filter((item) => item !== undefined)
  return recursive ? below(call, parentId) : world.childrenOf(parentId)
}

function below(call: Call, id: string): Item[] {
  return call.world.childrenOf(id).flatMap((child) => [child, ...below(call, child.id)])
}

function plainTests(call: Call): Test[] {
  const tests: Test[] = []
  const included = call.list('IncludeItemTypes').map((type) => type.toLowerCase())
  const excluded = call.list('ExcludeItemTypes').map((type) => type.toLowerCase())
  if (included.length > 0) tests.push(({ type }) => included.includes(type.toLowerCase()))
  if (excluded.length > 0) tests.push(({ type }) => !excluded.includes(type.toLowerCase()))

  const years = call.list('Years').map(Number)
  if (years.length > 0) tests.push(({ year }) => year !== undefined && years.includes(year))

  const term = call.query('SearchTerm')?.toLowerCase()
  if (term !== undefined) tests.push(({ name }) => name.toLowerCase().includes(term))

  for (const provider of ['imdb', 'tmdb', 'tvdb']) {
    const wanted = call.query(`Has${provider}Id`)
    if (wanted !== undefined) tests.push((item) => (providerId(item, provider) !== undefined) === (wanted === 'true'))
  }
  const missing = call.query('IsMissing')
  if (missing !== undefined) tests.push(({ virtual }) => (virtual === true) === (missing === 'true'))
  if (call.list('ExcludeLocationTypes').some((type) => type.toLowerCase() === 'virtual'))
    tests.push(({ virtual }) => virtual !== true)

  const savedAtMs = date(call, 'MinDateLastSaved')
  if (savedAtMs !== undefined) tests.push((item) => item.savedAtMs >= savedAtMs)

  // The other server ignores this name, as it ignores every unknown name.
  const wanted = call.dialect.findsByProviderId ? call.list('AnyProviderIdEquals') : []
  if (wanted.length > 0) tests.push((item) => wanted.some((pair) => hasProviderId(item, pair)))
  return tests
}

const FILTERS: Readonly<Record<string, (call: Call, user: User) => Test>> = {
  isplayed: (call, user) => (item) => isPlayed(call.world, user, item),
  isunplayed: (call, user) => (item) => !isPlayed(call.world, user, item),
  isfavorite:
    (_, user) =>
    ({ id }) =>
      user.data.get(id)?.favourite === true,
  isresumable:
    (_, user) =>
    ({ id }) =>
      (user.data.get(id)?.positionTicks ?? 0) > 0 && user.data.get(id)?.hiddenFromResume !== true,
  likes:
    (_, user) =>
    ({ id }) =>
      (user.data.get(id)?.rating ?? 0) >= 6.5,
  dislikes:
    (_, user) =>
    ({ id }) =>
      (user.data.get(id)?.rating ?? 10) < 6.5,
  isfavoriteorlikes:
    (_, user) =>
    ({ id }) =>
      user.data.get(id)?.favourite === true || (user.data.get(id)?.rating ?? 0) >= 6.5,
  isfolder:
    () =>
    ({ type }) =>
      type !== 'Movie' && type !== 'Episode',
  isnotfolder:
    () =>
    ({ type }) =>
      type === 'Movie' || type === 'Episode',
}

function userTests(call: Call, user: User): Test[] {
  const names = call.list('Filters').map((name) => name.toLowerCase())
  const played = call.query('IsPlayed')
  const favourite = call.query('IsFavorite')
  if (played !== undefined) names.push(played === 'true' ? 'isplayed' : 'isunplayed')
  if (favourite === 'true') names.push('isfavorite')
  const tests = names.map((name) => FILTERS[name]?.(call, user)).filter((test) => test !== undefined)
  if (favourite === 'false') tests.push(({ id }) => user.data.get(id)?.favourite !== true)

  const savedAtMs = date(call, 'MinDateLastSavedForUser')
  const includesUserData = call.dialect.savedIncludesUserData
  if (savedAtMs !== undefined) {
    tests.push(
      (item) =>
        item.savedAtMs >= savedAtMs || (includesUserData && (user.data.get(item.id)?.savedAtMs ?? 0) >= savedAtMs),
    )
  }
  return tests
}

function date(call: Call, name: string): number | undefined {
  const text = call.query(name)
  if (text === undefined) return undefined
  const atMs = parseIsoDate(text)
  if (atMs === undefined) throw new Refusal(400, `The value '${text}' is not valid.`)
  return atMs
}

const ORDERS: Readonly<Record<string, (item: Item, user: User | undefined) => string | number>> = {
  sortname: ({ name }) => name.toLowerCase(),
  name: ({ name }) => name.toLowerCase(),
  dateplayed: ({ id }, user) => user?.data.get(id)?.lastPlayedAtMs ?? 0,
  playcount: ({ id }, user) => user?.data.get(id)?.playCount ?? 0,
  datecreated: ({ createdAtMs }) => createdAtMs,
  premieredate: ({ premieredAtMs }) => premieredAtMs ?? 0,
  productionyear: ({ year }) => year ?? 0,
}

function sort(call: Call, items: readonly Item[], user: User | undefined): readonly Item[] {
  const orders = call
    .list('SortBy')
    .map((name) => ORDERS[name.toLowerCase()])
    .filter((order) => order !== undefined)
  if (orders.length === 0) return items
  const direction = call.list('SortOrder')[0]?.toLowerCase().startsWith('desc') === true ? -1 : 1
  return items.toSorted((a, b) => {
    for (const order of orders) {
      const [left, right] = [order(a, user), order(b, user)]
      if (left !== right) return left < right ? -direction : direction
    }
    return 0
  })
}

function providerId(item: Item, provider: string): string | undefined {
  return Object.entries(item.providerIds).find(([key, value]) => key.toLowerCase() === provider && value !== '')?.[1]
}

function hasProviderId(item: Item, pair: string): boolean {
  const [provider = '', ...id] = pair.split('.')
  return providerId(item, provider.toLowerCase()) === id.join('.')
}
