// The play log of the media server: the owner sees all plays, others see their own.
import type { UpstreamReply } from '../base/index.ts'
import { type Fields, select } from './operators.ts'
import type { Route } from './router.ts'
import type { Account, Item, Play, PlexState } from './state.ts'
import { type AccountCall, answer, container, day, present, type Row, seconds, serverError } from './wire.ts'

export const historyRoutes: readonly Route[] = [
  ['account', 'GET', '/status/sessions/history/all', history],
  ['owner', 'DELETE', '/status/sessions/history/:id', deletePlay],
]

function history(call: AccountCall): UpstreamReply {
  const { state, account, query } = call
  const asked = query.get('accountID')
  if (account.role !== 'owner' && asked !== null && asked !== String(account.localId)) return serverError(403)
  const own = state.plays.filter((play) => account.role === 'owner' || play.accountId === account.id)
  const metadataItem = query.get('metadataItemID')
  const ofItem = metadataItem === null ? own : own.filter((play) => belongsTo(state, play, metadataItem))
  const found = select(ofItem, query, fieldsFor(state), 'viewedAt')
  return found === undefined ? serverError(400) : container(call, { of: found, row: (play) => playRow(state, play) })
}

function deletePlay(call: AccountCall): UpstreamReply {
  const { state, params } = call
  const at = state.plays.findIndex(({ id }) => String(id) === params['id'])
  if (at < 0) return serverError(404)
  state.plays.splice(at, 1)
  return answer(call, 'MediaContainer', { size: 0 })
}

function playRow(state: PlexState, play: Play): Row {
  const ratingKey = state.items.has(play.ratingKey) ? play.ratingKey : undefined
  return present({
    historyKey: `/status/sessions/history/${play.id}`,
    // Plays of a deleted item stay, but no longer link to it.
    key: ratingKey === undefined ? undefined : `/library/metadata/${ratingKey}`,
    ratingKey,
    librarySectionID: play.sectionKey,
    type: play.type,
    title: play.title,
    grandparentTitle: play.grandparentTitle,
    parentIndex: play.parentIndex,
    index: play.index,
    originallyAvailableAt: play.premieredAtMs === undefined ? undefined : day(play.premieredAtMs),
    viewedAt: seconds(play.viewedAtMs),
    accountID: localId(state, play.accountId),
    deviceID: 1,
  })
}

function fieldsFor(state: PlexState): Fields<Play> {
  return {
    viewedAt: ({ viewedAtMs }) => seconds(viewedAtMs),
    accountID: ({ accountId }) => localId(state, accountId),
    librarySectionID: ({ sectionKey }) => Number(sectionKey),
  }
}

/** True for the item itself and for its ancestors. */
function belongsTo(state: PlexState, { ratingKey }: Play, wanted: string): boolean {
  for (
    let item: Item | undefined = state.items.get(ratingKey);
    item !== undefined;
    item = state.items.get(item.parentKey ?? '')
  ) {
    if (item.ratingKey === wanted) return true
  }
  return false
}

function localId(state: PlexState, accountId: number): number | undefined {
  return state.accounts.find(({ id }: Account) => id === accountId)?.localId
}
