// The custom lists of a person: read in pages of twenty, written film by film. Films are identified by number only.
import { page, summaryOf } from './lists.ts'
import { accountOf, type Answer, coded, type Context, ok, refuse } from './replies.ts'
import { type Account, change, keyOf, newToken, type OwnList, shown, type State } from './state.ts'
import type { Namespace } from './works.ts'

export const readOwnLists: Answer = (context) => {
  const account = accountOf(context, context.params[0])
  return page(context, shown(context.state, account).own, ({ id, name, keys }) => ({
    id,
    name,
    description: '',
    item_count: keys.length,
    list_type: 'movie',
    favorite_count: 0,
    iso_639_1: 'en',
    poster_path: null,
  }))
}

export const createOwnList: Answer = (context) => {
  const { name } = context.body
  if (typeof name !== 'string' || name === '') return refuse(5)
  const list = makeList(context.state, accountOf(context), name)
  return { status: 201, json: { status_code: 1, success: true, status_message: 'Success.', list_id: Number(list.id) } }
}

export const readOwnList: Answer = (context) => {
  const account = accountOf(context)
  const { id, name, keys } = shown(context.state, account).own.find((one) => one.id === context.params[0]) ?? refuse(34)
  const rows = page(context, keys, (key) => {
    const [namespace, number] = key.split('/')
    const work = context.state.works.get(namespace as Namespace, Number(number))
    return work === undefined
      ? { id: Number(number), media_type: namespace }
      : { ...summaryOf(work), media_type: namespace }
  }).json as { results: readonly object[]; total_pages: number; page: number }
  return ok({
    id,
    name,
    created_by: account.username,
    item_count: keys.length,
    items: rows.results,
    page: rows.page,
    total_pages: rows.total_pages,
  })
}

export const deleteOwnList: Answer = (context) => {
  const { account, list } = written(context)
  change(context.state, account, { own: account.lists.own.filter((one) => one !== list) })
  return coded(13)
}

export const addToOwnList: Answer = (context) => {
  const { account, list } = written(context)
  const work = context.state.works.get('movie', Number(context.body['media_id'])) ?? refuse(34)
  const key = keyOf('movie', work.id)
  if (list.keys.includes(key)) return coded(8)
  return replaced(context, account, { ...list, keys: [...list.keys, key] })
}

/** Removes the first entry with the number, of either kind. */
export const removeFromOwnList: Answer = (context) => {
  const { account, list } = written(context)
  const found = list.keys.find((key) => key.endsWith(`/${String(context.body['media_id'])}`)) ?? refuse(34)
  replaced(context, account, { ...list, keys: list.keys.filter((key) => key !== found) })
  return coded(13)
}

export function makeList(state: State, account: Account, name: string, keys: readonly string[] = []): OwnList {
  const list = { id: String(8_000_000 + Number.parseInt(newToken().slice(0, 5), 16)), name, keys }
  change(state, account, { own: [...account.lists.own, list] })
  return list
}

function replaced({ state }: Context, account: Account, list: OwnList) {
  change(state, account, { own: account.lists.own.map((one) => (one.id === list.id ? list : one)) })
  return coded(12)
}

function written(context: Context): { readonly account: Account; readonly list: OwnList } {
  const account = accountOf(context)
  return { account, list: account.lists.own.find(({ id }) => id === context.params[0]) ?? refuse(34) }
}
