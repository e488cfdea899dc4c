// A stand-in of a Ryot server: the part of its GraphQL API that the plugin uses. Plays and collections are changed by jobs, a
// moment after the answer; public reviews of others are among the reviews; a watched title leaves the watchlist.
import type { ReceivedRequest, Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

export interface Metadata {
  readonly id: string
  readonly lot: 'MOVIE' | 'SHOW' | 'BOOK'
  readonly source: string
  readonly identifier: string
  readonly title: string
  readonly publishYear: number
}

interface Numbers {
  readonly season?: number | null
  readonly episode?: number | null
}

export interface SeenRow {
  readonly id: string
  readonly metadataId: string
  state: string
  progress: string
  finishedOn: string | null
  lastUpdatedOn: string
  showExtraInformation: Numbers | null
}

export interface ReviewRow {
  readonly id: string
  readonly metadataId: string
  /** 0 to 100, as text. */
  rating: string | null
  postedOn: string
  textOriginal: string | null
  isSpoiler: boolean
  visibility: string
  comments: { readonly id: string }[]
  showExtraInformation: Numbers | null
}

export interface Owner {
  readonly id: string
  readonly name: string
  readonly password: string
  readonly tokens: Set<string>
  /** Metadata ids and times. */
  readonly watchlist: Map<string, string>
  readonly seen: SeenRow[]
  readonly reviews: ReviewRow[]
  reviewScale: string
  hasSecondFactor: boolean
}

export interface Ryot extends FaultyServer {
  /** Ryot's titles, also those that only a search has found. */
  readonly metadata: Map<string, Metadata>
  readonly owners: readonly Owner[]
  version: string
  /** Only for reading: tokens of access links. */
  readonly readOnly: Set<string>
  /** Jobs take this long. */
  jobMs: number
  addTitle(lot: Metadata['lot'], identifier: string, more?: Partial<Metadata>): Metadata
  see(owner: Owner, id: string, finishedOn: string | null, numbers?: Numbers): SeenRow
  stop(owner: Owner, id: string, percent: number, at: string, numbers?: Numbers): SeenRow
  /** @param rating 0 to 100 */
  rate(owner: Owner, id: string, rating: number, at: string, more?: Partial<ReviewRow>): ReviewRow
}

const SEARCHED = 20
const DIVISORS: Readonly<Record<string, number>> = { OUT_OF_TEN: 10, OUT_OF_FIVE: 20 }

interface Progress {
  readonly metadataId: string
  readonly change: {
    readonly createNewCompleted: {
      readonly finishedOnDate?: NumbersOf & { readonly timestamp: string }
      readonly withoutDates?: NumbersOf
    }
  }
}
interface NumbersOf {
  readonly showSeasonNumber?: number
  readonly showEpisodeNumber?: number
}

/** Inputs of the operations; each uses some of the fields. */
interface Input extends NumbersOf {
  readonly password?: { readonly username: string; readonly password: string }
  readonly lot?: string
  readonly source?: string
  readonly search?: { readonly page?: number; readonly take?: number; readonly query?: string }
  readonly entities?: readonly { readonly entityId: string }[]
  readonly entityId?: string
  readonly reviewId?: string
  readonly rating?: string
  readonly text?: string
  readonly date?: string
}
interface Variables {
  readonly input?: Input & readonly Progress[]
  readonly seenId?: string
  readonly reviewId?: string
}

export async function startRyot(names: readonly string[] = ['ann', 'bob']): Promise<Ryot> {
  let ids = 0
  const metadata = new Map<string, Metadata>()
  const jobs = new Set<NodeJS.Timeout>()
  const owners = names.map(
    (name, index): Owner => ({
      id: `usr_${index}xKq`,
      name,
      password: `the-password-of-${name}`,
      tokens: new Set(),
      watchlist: new Map(),
      seen: [],
      reviews: [],
      reviewScale: 'OUT_OF_HUNDRED',
      hasSecondFactor: false,
    }),
  )
  const nextId = (prefix: string) => `${prefix}_${String(++ids).padStart(6, '0')}`
  const byRank = () =>
    [...metadata.values()].toSorted((a, b) => a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1))

  const server = await startFaultyServer((request): Reply => {
    if (request.path !== '/backend/graphql')
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><html></html>' }
    if (request.method !== 'POST') return { status: 405 }
    try {
      return { json: { data: answer(request) } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { json: { data: null, errors: [{ message: error.message, locations: [], path: [] }] } }
    }
  })

  function answer(request: ReceivedRequest): object {
    const { query, variables = {} } = request.json() as { readonly query: string; readonly variables?: Variables }
    const input: Input = variables.input ?? {}
    const has = (field: string) => query.includes(`${field}(`) || query.includes(`${field} {`)
    if (has('loginUser')) return { loginUser: signIn(input.password!) }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const owner = owners.find(({ tokens }) => tokens.has(token))
    const core = has('coreDetails') ? { coreDetails: { version: ryot.version } } : {}
    if (has('userDetails'))
      return { ...core, userDetails: owner === undefined ? { error: 'SESSION_INVALID' } : whoIs(owner) }
    if (has('coreDetails')) return core
    if (owner === undefined) throw new Refusal(token === '' ? 'NO_SESSION_ID' : 'NO_USER_ID')
    if (query.startsWith('mutation')) {
      if (ryot.readOnly.has(token)) throw new Refusal('MUTATION_NOT_ALLOWED')
      return change(owner, query, variables)
    }
    if (has('userCollectionsList')) return { userCollectionsList: { response: collectionsOf(owner) } }
    if (has('userMetadataList')) {
      const own = new Set(
        [...owner.seen, ...owner.reviews].map((row) => row.metadataId).concat([...owner.watchlist.keys()]),
      )
      const all = byRank().filter(({ id, lot }) => own.has(id) && lot === input.lot)
      return {
        userMetadataList: {
          response: paged(
            all.map(({ id }) => id),
            input.search,
          ),
        },
      }
    }
    if (has('collectionContents')) {
      const { items, details } = paged([...owner.watchlist.keys()], input.search)
      const entries = items.map((id) => ({ entityId: id, entityLot: 'METADATA' }))
      return { collectionContents: { response: { results: { items: entries, details } } } }
    }
    if (has('metadataSearch')) {
      const words = String(input.search?.query)
      const all = byRank().filter(
        ({ lot, source, title }) => lot === input.lot && source === input.source && title.includes(words),
      )
      return { metadataSearch: { response: { items: all.slice(0, SEARCHED).map(({ id }) => id) } } }
    }
    const aliases = [...query.matchAll(/(\w+): (metadataDetails|userMetadataDetails)\(metadataId: \$(\w+)\)/g)]
    if (aliases.length === 0) throw new Refusal('Unknown field in the query')
    return Object.fromEntries(
      aliases.map(([, alias, field, variable]) => {
        const id = (variables as Readonly<Record<string, string>>)[variable!]!
        const facts = metadata.get(id)
        if (facts === undefined) throw new Refusal('Metadata not found')
        return [alias, { response: field === 'metadataDetails' ? facts : detailsOf(owner, id) }]
      }),
    )
  }

  function signIn({ username, password }: { readonly username: string; readonly password: string }): object {
    const owner = owners.find(({ name }) => name === username)
    if (owner === undefined) return { __typename: 'LoginError', error: 'USERNAME_DOES_NOT_EXIST' }
    if (owner.password !== password) return { __typename: 'LoginError', error: 'CREDENTIALS_MISMATCH' }
    if (owner.hasSecondFactor) return { __typename: 'StringIdObject', id: owner.id }
    const token = `the-token-${nextId('ses')}-of-${owner.name}`
    owner.tokens.add(token)
    return { __typename: 'ApiKeyResponse', apiKey: token }
  }

  const whoIs = ({ id, name, reviewScale }: Owner) => ({ id, name, preferences: { general: { reviewScale } } })
  const watchlistOf = ({ id }: Owner) => `col_watchlist_${id}`
  const collectionsOf = (owner: Owner) => [
    { id: `col_other_${owner.id}`, name: 'Watchlist', isDefault: false, creator: { id: 'usr_other' } },
    { id: watchlistOf(owner), name: 'Watchlist', isDefault: true, creator: { id: owner.id } },
    { id: `col_owned_${owner.id}`, name: 'Owned', isDefault: true, creator: { id: owner.id } },
  ]

  function paged(all: readonly string[], { page = 1, take = 20 }: NonNullable<Input['search']> = {}) {
    const items = all.slice((page - 1) * take, page * take)
    return { items, details: { totalItems: all.length, nextPage: page * take < all.length ? page + 1 : null } }
  }

  function detailsOf(owner: Owner, id: string): object {
    const since = owner.watchlist.get(id)
    const reviews = owners.flatMap((one) =>
      one.reviews
        .filter((row) => row.metadataId === id && (one === owner || row.visibility === 'PUBLIC'))
        .map((row) => ({ ...row, postedBy: { id: one.id, name: one.name } })),
    )
    return {
      history: owner.seen.filter(({ metadataId }) => metadataId === id),
      reviews: reviews.toSorted((a, b) => b.postedOn.localeCompare(a.postedOn)),
      collections: since === undefined ? [] : [{ details: { collectionId: watchlistOf(owner), createdOn: since } }],
    }
  }

  function later(work: () => void): void {
    const job = setTimeout(() => {
      jobs.delete(job)
      work()
    }, ryot.jobMs)
    jobs.add(job)
  }

  function change(owner: Owner, query: string, { input, seenId, reviewId }: Variables): object {
    const entities = input?.entities ?? []
    const name = /\b(\w+)\((?:input|seenId|reviewId):/.exec(query)?.[1] ?? ''
    switch (name) {
      case 'deployBulkMetadataProgressUpdate':
        later(() => {
          for (const { metadataId, change: asked } of input ?? []) {
            const { finishedOnDate, withoutDates = {} } = asked.createNewCompleted
            const { showSeasonNumber: season, showEpisodeNumber: episode = null } = finishedOnDate ?? withoutDates
            const timestamp = finishedOnDate?.timestamp ?? null
            ryot.see(owner, metadataId, timestamp, season === undefined ? undefined : { season, episode })
          }
        })
        return { [name]: true }
      case 'deployAddEntitiesToCollectionJob':
        later(() => {
          for (const { entityId } of entities)
            if (!owner.watchlist.has(entityId)) owner.watchlist.set(entityId, new Date().toISOString())
        })
        return { [name]: true }
      case 'deployRemoveEntitiesFromCollectionJob':
        later(() => {
          for (const { entityId } of entities) owner.watchlist.delete(entityId)
        })
        return { [name]: true }
      case 'deleteSeenItem': {
        const at = owner.seen.findIndex(({ id }) => id === seenId)
        if (at === -1) throw new Refusal('This seen item does not exist')
        owner.seen.splice(at, 1)
        return { [name]: { id: seenId } }
      }
      case 'deleteReview': {
        const at = owner.reviews.findIndex(({ id }) => id === reviewId)
        if (at === -1) throw new Refusal('Review not found')
        owner.reviews.splice(at, 1)
        return { [name]: true }
      }
      case 'createOrUpdateReview':
        return { [name]: { id: review(owner, input ?? {}) } }
      default:
        throw new Refusal(`Unknown field "${name}"`)
    }
  }

  function review(owner: Owner, input: Input): string {
    if (input.rating == null && input.text == null) throw new Refusal('At-least one of rating or review is required.')
    const { entityId, rating, date, text = null, showSeasonNumber: season, showEpisodeNumber: episode } = input
    const divisor = DIVISORS[owner.reviewScale] ?? 1
    // Everything that is not sent is lost, but the time.
    const fields = {
      rating: rating == null ? null : String(Number(rating) * divisor),
      textOriginal: text,
      comments: [],
      showExtraInformation: season == null ? null : { season, episode: episode ?? null },
      ...(date === undefined ? {} : { postedOn: date }),
    }
    const known = owner.reviews.find(({ id }) => id === input.reviewId)
    if (known !== undefined) return Object.assign(known, fields).id
    const made = { postedOn: new Date().toISOString(), isSpoiler: false, visibility: 'PUBLIC', ...fields }
    owner.reviews.push({ id: nextId('rev'), metadataId: entityId!, ...made })
    return owner.reviews.at(-1)!.id
  }

  const ryot: Ryot = {
    ...server,
    metadata,
    owners,
    version: 'v9.6.2',
    readOnly: new Set(),
    jobMs: 20,
    addTitle(lot, identifier, more = {}) {
      const id = nextId('met')
      const title = { id, lot, source: 'TMDB', identifier, title: `${lot} ${identifier}`, publishYear: 1999, ...more }
      metadata.set(id, title)
      return title
    },
    see(owner, id, finishedOn, numbers) {
      const row: SeenRow = {
        id: nextId('see'),
        metadataId: id,
        state: 'COMPLETED',
        progress: '100',
        finishedOn,
        lastUpdatedOn: finishedOn ?? '2025-01-01T00:00:00Z',
        showExtraInformation: numbers ?? null,
      }
      owner.seen.push(row)
      owner.watchlist.delete(id)
      return row
    },
    stop(owner, id, percent, at, numbers) {
      const row = ryot.see(owner, id, null, numbers)
      return Object.assign(row, { state: 'IN_PROGRESS', progress: String(percent), lastUpdatedOn: at })
    },
    rate(owner, id, rating, at, more = {}) {
      const row: ReviewRow = {
        id: nextId('rev'),
        metadataId: id,
        rating: String(rating),
        postedOn: at,
        textOriginal: null,
        isSpoiler: false,
        visibility: 'PUBLIC',
        comments: [],
        showExtraInformation: null,
        ...more,
      }
      owner.reviews.push(row)
      return row
    },
    async close() {
      for (const job of jobs) clearTimeout(job)
      await server.close()
    },
    async [Symbol.asyncDispose]() {
      await ryot.close()
    },
  }
  return ryot
}

class Refusal extends Error {}
