// The options of a feature: additions, removals, conflicts, and the fields of its schema.
import { Radio, Select, SimpleGrid, Stack, Switch } from '@mantine/core'
import { useMemo } from 'react'
import { Fold } from '../../../parts/page/fold.tsx'
import { SchemaForm } from '../../../parts/schema-form/index.tsx'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Draft, FeatureInfo, Options } from './draft.ts'
import { canDrop, DroppedShows } from './dropped-shows.tsx'
import { Libraries } from './libraries.tsx'
import type { Ends } from './support.ts'

interface FeatureOptionsProps {
  readonly info: FeatureInfo
  readonly ends: Ends
  readonly draft: Draft
  readonly options: Options
  readonly onChange: (options: Options) => void
  readonly onProviders: (providers: Draft['providers']) => void
}

const OWN_CONTROLS: ReadonlySet<string> = new Set([
  'enabled',
  'add',
  'remove',
  'remove_mode',
  'source_of_truth',
  'restore_deleted',
  'libraries',
])
const REMOVE_MODES = ['source_deletes', 'mirror'] as const

export function FeatureOptions(props: FeatureOptionsProps) {
  const { ends, options, onChange } = props
  const set = (part: Options) => onChange({ ...options, ...part })
  const { mode } = ends
  const isOneWay = mode === 'one_way'
  const removes = options['remove'] === true
  return (
    <>
      <Switch
        label={texts.add}
        description={texts.addHelp}
        checked={options['add'] === true}
        onChange={(event) => set({ add: event.currentTarget.checked })}
      />
      <Switch
        label={texts.remove}
        description={`${texts.removeHelp[mode]} ${texts.removeSafe}`}
        checked={removes}
        onChange={(event) => set({ remove: event.currentTarget.checked })}
      />
      {!isOneWay || !removes ? null : (
        <Radio.Group
          label={texts.removeMode.label}
          value={String(options['remove_mode'] ?? 'source_deletes')}
          onChange={(next) => set({ remove_mode: next })}
        >
          <Stack gap="xs" mt="xs">
            {REMOVE_MODES.map((one) => (
              <Radio key={one} value={one} label={texts.removeMode[one]} description={texts.removeMode[`${one}Help`]} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {isOneWay || removes ? null : (
        <Switch
          label={texts.restore.label}
          description={texts.restore.help}
          checked={options['restore_deleted'] === true}
          onChange={(event) => set({ restore_deleted: event.currentTarget.checked })}
        />
      )}
      {isOneWay ? null : (
        <Select
          label={texts.wins.label}
          description={texts.wins.help}
          maw={420}
          allowDeselect={false}
          value={winnerOf(ends, options)}
          onChange={(side) => set({ source_of_truth: side ?? '' })}
          data={[
            { value: 'A', label: say(texts.wins.first, { side: ends.nameOfA }) },
            { value: 'B', label: say(texts.wins.first, { side: ends.nameOfB }) },
          ]}
        />
      )}
      <MoreOptions {...props} />
    </>
  )
}

/** The stored winner can be a provider name if the two providers differ. Without one, the first account wins, as in a run. */
function winnerOf({ a, b }: Ends, { source_of_truth: winner }: Options): 'A' | 'B' {
  return winner === 'B' || (winner === b.name && a.name !== b.name) ? 'B' : 'A'
}

interface Schema {
  readonly deprecated?: boolean
}

function MoreOptions({ info, ends, draft, options, onChange, onProviders }: FeatureOptionsProps) {
  const own = useMemo(() => ownSchema(info), [info])
  const hasLibraries = (info.schema['properties'] as Readonly<Record<string, unknown>>)['libraries'] !== undefined
  const hasDropped = info.feature === 'history' && canDrop(ends)
  if (own === null && !hasLibraries && !hasDropped) return null
  return (
    <Fold title={texts.more}>
      <Stack>
        {!hasLibraries ? null : (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {(
              [
                [draft.a, ends.nameOfA],
                [draft.b, ends.nameOfB],
              ] as const
            ).map(([account, name], side) =>
              account === null ? null : (
                <Libraries
                  key={name}
                  account={account}
                  isOneOfTwo={draft.a?.provider === draft.b?.provider}
                  isSource={side === 0}
                  name={name}
                  value={(options['libraries'] ?? {}) as Readonly<Record<string, readonly string[]>>}
                  onChange={(libraries) => onChange({ ...options, libraries })}
                />
              ),
            )}
          </SimpleGrid>
        )}
        {hasDropped ? <DroppedShows ends={ends} value={draft.providers} onChange={onProviders} /> : null}
        {own === null ? null : (
          <SchemaForm
            schema={own}
            value={options}
            onChange={(value) => onChange({ ...options, ...(value as Options) })}
          />
        )}
      </Stack>
    </Fold>
  )
}

/** The schema without fields that have their own control above, and without deprecated ones. */
function ownSchema({ schema }: FeatureInfo): object | null {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>).filter(
    ([name, one]) => !OWN_CONTROLS.has(name) && one.deprecated !== true,
  )
  return properties.length === 0 ? null : { type: 'object', properties: Object.fromEntries(properties) }
}
