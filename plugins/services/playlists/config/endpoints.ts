// Saves and refreshes endpoints: finds or creates their lists at the provider.
import {
  type AccountName,
  defined,
  isPlayheadError,
  type List,
  type ListKind,
  type ListSupport,
  PlayheadError,
  type ProviderDescription,
  readInstance,
  readProvider,
} from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import { codeOf, providerError } from '../run/failures.ts'
import { findListOf } from '../run/create.ts'
import { isSameAccount } from '../run/read.ts'
import { CAUSE } from '../run/apply.ts'
import { type Endpoint, LIST_KINDS } from '../settings.ts'
import { saveEndpoint } from './changes.ts'
import { factsOf, listOf, supportOf } from './lists.ts'
import { MAX_TITLE, readName } from './names.ts'
import { invalid, missing, unknown } from './refusals.ts'
import type { EndpointInput } from './requests.ts'

interface SavedEndpoint {
  readonly endpoint: Endpoint
  readonly created: boolean
  /** Mappings that use the endpoint forget their managed items. */
  readonly stateReset: boolean
}

interface ListAccount extends AccountName {
  readonly description: ProviderDescription
  readonly lists: ListSupport
}

/** An account whose provider has lists. Throws 404 `unknown_provider`, `unknown_instance`, 400 `provider_not_capable`. */
export async function listAccount({ accounts }: Parts, name: AccountName): Promise<ListAccount> {
  const [provider, instance] = [readProvider(name.provider), readInstance(name.instance)]
  const description = (await accounts.providers()).find(({ id }) => id === provider)
  if (description === undefined)
    throw missing('unknown_provider', 'This service does not exist.', { field: 'provider' })
  const { lists } = description
  if (lists === undefined || Object.keys(lists).length === 0)
    throw invalid('provider_not_capable', `${description.label} has no lists.`, { field: 'provider' })
  const known = (await accounts.list()).some((one) => one.provider === provider && one.instance === instance)
  if (!known)
    throw missing('unknown_instance', `${description.label} has no such profile.`, { field: 'instance', provider })
  return { provider, instance, description, lists }
}

export async function saveEndpointInput(
  parts: Parts,
  input: EndpointInput,
  signal: AbortSignal,
): Promise<SavedEndpoint> {
  const given = (input.id ?? '').trim()
  const before = parts.config().endpoints.find(({ id }) => id === given)
  if (given !== '' && before === undefined) throw unknown('endpoint', given)
  const name = readName(input.name ?? before?.name ?? '')
  const provider = input.provider ?? before?.provider ?? ''
  if (provider.trim() === '') throw invalid('provider_required', 'A service is required.', { field: 'provider' })
  const account = await listAccount(parts, { provider, instance: input.instance ?? before?.instance ?? '' })
  const { description: _description, lists: _lists, ...of } = account
  const own = before !== undefined && isSameAccount(before, { ...before, ...of }) ? before : undefined
  const asked = (input.playlist_id ?? own?.playlist_id ?? '').trim()
  const found =
    asked !== ''
      ? { facts: knownFacts(parts, account, await existing(parts, account, asked, signal)) }
      : input.create === true
        ? await createList(parts, account, input, name)
        : { facts: own?.made_by_run === true ? own : playlistRequired() }
  const isSame = own !== undefined && own.playlist_id === found.facts.playlist_id
  const { last_error: _error, ...kept } = isSame ? own : ({} as Partial<Endpoint>)
  const fields = { ...kept, ...found.facts, ...of, name } as Omit<Endpoint, 'id'>
  try {
    const { saved, created } = await parts.change((config) => {
      const made = saveEndpoint({ ...fields, ...defined({ id: before?.id }) }, config)
      return { change: made.change, value: made }
    }, input.across_persons)
    return { endpoint: saved, created, stateReset: before !== undefined && !isSame }
  } catch (error) {
    // A second attempt uses this list instead of creating another.
    throw 'created' in found ? withCreated(error, found.facts.playlist_id ?? '') : error
  }
}

interface Found {
  readonly facts: Partial<Endpoint>
  readonly created?: true
}

function playlistRequired(): never {
  throw invalid('playlist_required', 'Choose a list.', { field: 'playlist_id' })
}

function knownFacts(parts: Parts, { description }: ListAccount, list: List): Partial<Endpoint> {
  return {
    ...factsOf(list, supportOf(description, list.kind)),
    last_synced: seconds(parts),
    ...defined({ item_count: list.count }),
  }
}

async function existing(parts: Parts, account: ListAccount, asked: string, signal: AbortSignal): Promise<List> {
  const list = await findListOf(parts, { ...account, playlist_id: asked }, signal)
  if (list !== undefined) return list
  throw invalid('playlist_not_found', 'The account does not have this list.', { field: 'playlist_id' })
}

const COLLECTION_WORDS: ReadonlySet<string> = new Set(['collection', 'boxset'])

/** A new list at the provider. If the provider needs a first item, the first run creates the list. */
async function createList(parts: Parts, account: ListAccount, input: EndpointInput, name: string): Promise<Found> {
  const { provider, instance, description } = account
  const title = readName(input.create_name ?? name, 'create_name', MAX_TITLE)
  const kind = kindToCreate(account, input)
  const support = supportOf(description, kind)!
  const wanted = (input.media_type ?? 'movie').trim().toLowerCase()
  const kinds = support.kinds.filter((one) => one === wanted)
  const library = (input.library ?? '').trim()
  const list = { kind, title, ...(kinds.length === 0 ? {} : { kinds }), ...(library === '' ? {} : { library }) }
  try {
    const made = await parts.lists.create({ provider, instance, list, cause: CAUSE })
    return { facts: knownFacts(parts, account, made), created: true }
  } catch (error) {
    if (!isPlayheadError(error) || error.wire !== 'first_entry_required')
      throw providerError(error, { provider, instance })
    const planned = factsOf({ ...support, id: '', kind, title }, support)
    const facts = { ...planned, playlist_id: '', warnings: ['pending_create'], item_count: 0, made_by_run: true }
    return { facts }
  }
}

function kindToCreate({ lists, description }: ListAccount, input: EndpointInput): ListKind {
  const word = (input.playlist_type ?? input.endpoint_type ?? '').trim().toLowerCase()
  const media = (input.media_type ?? '').trim().toLowerCase()
  const canCreate = (kind: ListKind) => lists[kind]?.can.includes('create') === true
  const asked = COLLECTION_WORDS.has(media) || COLLECTION_WORDS.has(word) ? 'collection' : word
  const kind = asked === '' ? LIST_KINDS.find(canCreate) : LIST_KINDS.find((one) => one === asked && canCreate(one))
  if (kind !== undefined) return kind
  throw invalid('create_unsupported', `${description.label} creates no such lists.`, { field: 'playlist_type' })
}

function withCreated(error: unknown, id: string): unknown {
  if (!isPlayheadError(error)) return error
  const { code, message, wire, status, details } = error
  return new PlayheadError(code, message, {
    wire,
    status,
    details: { ...details, created_playlist_id: id },
    cause: error,
  })
}

const seconds = ({ now }: Pick<Parts, 'now'>) => Math.floor(now() / 1_000)

/** Reads the list and stores its facts. A failure keeps the stored facts and adds the error. */
export async function refreshEndpoint(parts: Parts, id: string, signal: AbortSignal): Promise<Endpoint> {
  const endpoint = parts.config().endpoints.find((one) => one.id === id)
  if (endpoint === undefined) throw unknown('endpoint', id)
  const name = listOf(endpoint)
  // Before the first run there is nothing to refresh.
  if (name === null) return endpoint
  const store = (change: (before: Endpoint) => Endpoint) =>
    parts.change((config) => {
      const before = config.endpoints.find((one) => one.id === id && one.playlist_id === endpoint.playlist_id)
      const next = before === undefined ? endpoint : change(before)
      return { change: { endpoints: config.endpoints.map((one) => (one === before ? next : one)) }, value: next }
    })
  try {
    const { description } = await listAccount(parts, endpoint)
    const { list, count } = await parts.lists.read(name, signal)
    const facts = factsOf(list, supportOf(description, list.kind))
    const saved = await store(({ last_error: _, ...before }) => ({
      ...before,
      ...facts,
      item_count: count,
      last_synced: seconds(parts),
    }))
    await addActivity(parts, saved, 'completed', `${count} items`)
    return saved
  } catch (error) {
    const reported = providerError(error, endpoint)
    await store((before) => ({ ...before, last_error: { code: codeOf(reported), at: seconds(parts) } }))
    await addActivity(parts, endpoint, 'error', codeOf(reported))
    throw reported
  }
}

function addActivity({ store, now }: Parts, endpoint: Endpoint, status: 'completed' | 'error', details: string) {
  const row = { ts: seconds({ now }), type: 'Sync' as const, status, label: endpoint.name, details }
  return store.addActivity({ ...row, endpoint_id: endpoint.id, added: 0, removed: 0 })
}
