import { Checkbox, Group, Select } from '@mantine/core'
import { useRead } from '../../api/query.ts'
import { featureName, type Names } from '../../parts/values/names.ts'
import { maintenance } from '../../texts/en/maintenance.ts'

const { dialog: texts } = maintenance
export type Chosen = Readonly<Record<string, string | boolean>>
const FEATURES = ['watchlist', 'history', 'ratings', 'progress', 'playlists']
const FIELD = { flex: '1 1 10rem' } as const

interface OptionsProps {
  readonly options: readonly string[]
  readonly pairs: readonly { readonly id: string; readonly name: string }[]
  readonly names: Names
  readonly chosen: Chosen
  readonly onChosen: (chosen: Chosen) => void
}

export function Options({ options, pairs, names, chosen, onChosen }: OptionsProps) {
  const { data } = useRead(['pairs', 'providers'], 'GET /api/sync/providers')
  const accounts = (data ?? []).flatMap(({ name, instances }) =>
    instances
      .filter(({ configured }) => configured)
      .map(({ id }) => ({ value: `${name}@${id}`, label: names.account(name, id) })),
  )
  const put = (part: Readonly<Record<string, string | boolean | null>>) =>
    onChosen(
      Object.fromEntries(
        Object.entries({ ...chosen, ...part }).filter(
          (entry): entry is [string, string | boolean] => entry[1] !== null && entry[1] !== false,
        ),
      ),
    )
  const account = chosen['provider'] === undefined ? null : `${chosen['provider']}@${chosen['instance'] ?? 'default'}`
  return (
    <Group gap="sm" role="group" aria-label={texts.options}>
      {options.includes('pair_id') ? (
        <Select
          label={texts.pair}
          placeholder={texts.allPairs}
          clearable
          data={pairs.map(({ id, name }) => ({ value: id, label: name || id }))}
          value={(chosen['pair_id'] as string | undefined) ?? null}
          onChange={(pairId) => put({ pair_id: pairId })}
          style={FIELD}
        />
      ) : null}
      {options.includes('provider') ? (
        <Select
          label={texts.account}
          placeholder={texts.allAccounts}
          clearable
          data={accounts}
          value={account}
          onChange={(value) => {
            const [provider = null, instance = null] = value?.split('@') ?? []
            put({ provider, ...(options.includes('instance') ? { instance } : {}) })
          }}
          style={FIELD}
        />
      ) : null}
      {options.includes('feature') ? (
        <Select
          label={texts.feature}
          placeholder={texts.allFeatures}
          clearable
          data={FEATURES.map((value) => ({ value, label: featureName(value) }))}
          value={(chosen['feature'] as string | undefined) ?? null}
          onChange={(feature) => put({ feature })}
          style={FIELD}
        />
      ) : null}
      {options.includes('recalculate') ? (
        <Checkbox
          label={texts.recalculate}
          checked={chosen['recalculate'] === true}
          onChange={(event) => put({ recalculate: event.currentTarget.checked })}
        />
      ) : null}
    </Group>
  )
}
