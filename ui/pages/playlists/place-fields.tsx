// Selects an account and one of its lists, or, for a target, a new list.
import { Fieldset, MultiSelect, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { api } from '../../api/client.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { kindOf } from './lists.tsx'
import { type Account, type List, type Overview, toName } from './state.ts'
import { idOf, useLists } from './use-lists.ts'

const { dialog: texts } = playlists
export const NEW = '+'
const MAX_TITLE = 100

/** A list of the service, a new list, or an endpoint whose list is created with its first item. */
export interface Choice {
  readonly id?: string
  readonly endpoint?: string
}

export interface Place {
  /** "PROVIDER@instance" */
  readonly account: string | null
  readonly lists: readonly Choice[]
  readonly newName: string
  /** false: the selected list has no order. */
  readonly canOrder?: boolean
}

interface PlaceFieldsProps {
  readonly legend: string
  readonly accounts: readonly Account[]
  readonly overview: Overview
  readonly place: Place
  readonly error: string | null
  readonly onPlace: (place: Place, list?: List) => void
  readonly isTarget?: boolean
  readonly isMultiple?: boolean
  /** Suggested name of a new list. */
  readonly suggestion?: string
}

const nameOf = ({ id, endpoint }: Choice) => (endpoint === undefined ? (id ?? '') : `endpoint ${endpoint}`)
const choiceOf = (value: string): Choice =>
  value.startsWith('endpoint ') ? { endpoint: value.slice('endpoint '.length) } : { id: value }

export function PlaceFields({
  legend,
  accounts,
  overview,
  place,
  error,
  onPlace,
  isTarget = false,
  isMultiple = false,
  suggestion = '',
}: PlaceFieldsProps) {
  const names = useNames()
  const account = accounts.find((one) => idOf(one) === place.account)
  const [found] = useLists(account === undefined ? [] : [account])
  const lists = found?.lists
  const isFixed = account?.capabilities['fixed_endpoints'] === true
  const canCreate = isTarget && account?.capabilities['create'] === true && !isFixed
  const waiting = overview.endpoints.filter((one) => one.playlist_id === '' && idOf(one) === place.account)
  const options = [
    ...(canCreate ? [{ value: NEW, label: texts.newList }] : []),
    ...waiting.map(({ id, name }) => ({ value: nameOf({ endpoint: id }), label: name })),
    ...(lists ?? []).map((list) => ({
      value: list.id,
      label: [
        `${list.name} · ${kindOf(list)}`,
        ...(isTarget && !list.writable ? [list.smart ? texts.smart : texts.readOnly] : []),
      ].join(' '),
      disabled: isTarget && !list.writable,
    })),
  ]
  const set = (choices: readonly Choice[]) => {
    const chosen = (lists ?? []).filter(({ id }) => choices.some((one) => one.id === id))
    const isNew = choices.some(({ id }) => id === NEW)
    onPlace(
      {
        ...place,
        lists: choices,
        newName: isNew && place.newName === '' ? suggestion : place.newName,
        ...(isTarget
          ? {
              canOrder:
                chosen.every(({ can_reorder: can }) => can) && (!isNew || account?.capabilities['reorder'] === true),
            }
          : {}),
      },
      chosen[0],
    )
  }
  const shared = {
    label: isMultiple ? texts.lists : texts.list,
    placeholder: place.lists.length === 0 ? texts.listPlaceholder : '',
    data: options,
    searchable: true,
    disabled: account === undefined || lists === undefined,
    error,
    nothingFoundMessage: texts.noLists,
  } as const
  return (
    <Fieldset
      legend={
        <Text span fw={650}>
          {legend}
        </Text>
      }
      variant="unstyled"
    >
      <Stack gap="sm" mt="2xs">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={texts.account}
            placeholder={texts.accountPlaceholder}
            data={accounts.map((one) => ({ value: idOf(one), label: names.account(one.provider, one.instance) }))}
            value={place.account}
            leftSection={account === undefined ? null : <ServiceMark provider={account.provider} />}
            onChange={(next) => onPlace({ account: next, lists: [], newName: '' })}
            allowDeselect={false}
          />
          {isMultiple ? (
            <MultiSelect {...shared} value={place.lists.map(nameOf)} onChange={(next) => set(next.map(choiceOf))} />
          ) : (
            <Select
              {...shared}
              description={undefined}
              placeholder={account !== undefined && lists === undefined ? texts.reading : shared.placeholder}
              value={place.lists[0] === undefined ? null : nameOf(place.lists[0])}
              onChange={(next) => set(next === null ? [] : [choiceOf(next)])}
            />
          )}
        </SimpleGrid>
        {place.lists.some(({ id }) => id === NEW) ? (
          <TextInput
            label={texts.newName}
            description={texts.newNameText}
            value={place.newName}
            maxLength={MAX_TITLE}
            dir="auto"
            onChange={(event) => onPlace({ ...place, newName: event.currentTarget.value })}
          />
        ) : null}
        {found?.error == null ? null : <Failure error={found.error} onRetry={found.retry} />}
      </Stack>
    </Fieldset>
  )
}

interface EndpointOrder {
  readonly place: Place
  readonly choice: Choice
  readonly accounts: readonly Account[]
  readonly overview: Overview
  /** Endpoints that an earlier attempt created, by account and list. */
  readonly made: Map<string, string>
  readonly name: string
}

/** Returns the endpoint of a choice. Creates it, and a new list, if needed. */
export async function endpointFor({ place, choice, accounts, overview, made, name }: EndpointOrder): Promise<string> {
  if (choice.endpoint !== undefined) return choice.endpoint
  const { provider, instance } = accounts.find((one) => idOf(one) === place.account)!
  const known = overview.endpoints.find(
    (one) => one.provider === provider && one.instance === instance && one.playlist_id === choice.id,
  )
  const title = toName(place.newName, MAX_TITLE) || toName(name, MAX_TITLE)
  const key = `${provider} ${instance} ${choice.id === NEW ? `new ${title}` : choice.id}`
  const before = known?.id ?? made.get(key)
  if (before !== undefined) return before
  const body =
    choice.id === NEW
      ? { create: true, create_name: title, name: toName(title) }
      : { playlist_id: choice.id ?? '', name: toName(await titleOf(provider, instance, choice.id!)) || toName(name) }
  const { endpoint } = await api('POST /api/playlists/endpoints', { body: { provider, instance, ...body } })
  made.set(key, endpoint.id)
  return endpoint.id
}

async function titleOf(provider: string, instance: string, id: string): Promise<string> {
  const { resources } = await api('GET /api/playlists/resources', { query: { provider, instance } })
  return resources.find((one) => one.id === id)?.name ?? ''
}
