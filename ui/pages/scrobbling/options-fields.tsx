// Options of a way: which plays count, exclusions and thresholds.
import {
  Anchor,
  Checkbox,
  Fieldset,
  MultiSelect,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core'
import { Link } from 'wouter'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import {
  HOOK_NUMBERS,
  PLAY_NUMBERS,
  standardOf,
  WATCH_NUMBERS,
  type Draft,
  type NumberName,
  type Who,
} from './draft.ts'
import type { FieldErrors } from './field-errors.ts'
import type { Overview, Source } from './use-overview.ts'

const { options: texts } = scrobbling
const WHOS = Object.keys(texts.whos) as Who[]
const REMOVALS = Object.entries(texts.removals).map(([value, label]) => ({ value, label }))
const LIVE_NUMBERS = [...PLAY_NUMBERS, ...WATCH_NUMBERS] as const
/** Names of the fields in errors. */
export const OPTION_FIELDS: readonly string[] = [
  ...LIVE_NUMBERS,
  ...HOOK_NUMBERS,
  'username_whitelist',
  'min_duration_seconds',
  'ignored_path_prefixes',
  'ignored_filename_patterns',
  'ignored_editions',
  'targets',
  'auto_remove_watchlist',
]

interface OptionsFieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly errors: FieldErrors
  readonly isLive: boolean
  readonly source: Source | undefined
  readonly sourceName: string
  readonly overview: Overview
  /** Trackers that ratings can be sent to. */
  readonly raters: readonly { readonly value: string; readonly label: string }[]
}

export function OptionsFields(props: OptionsFieldsProps) {
  const { draft, onChange, errors, isLive, source, sourceName, raters } = props
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  return (
    <Stack gap="md">
      <Radio.Group label={texts.who} value={draft.who} onChange={(who) => set({ who: who as Who })}>
        <Stack gap="xs" mt="xs">
          {WHOS.map((who) => (
            <Radio key={who} value={who} label={texts.whos[who]} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.who !== 'some' ? null : (
        <TagsInput
          label={texts.names}
          description={texts.namesHelp}
          value={[...draft.names]}
          onChange={(names) => set({ names })}
          error={errors['username_whitelist']}
          acceptValueOnBlur
        />
      )}
      <Text size="sm" c="dimmed">
        {texts.libraries}{' '}
        <Anchor component={Link} href={`/connections/${source?.provider ?? ''}`} inherit underline="always">
          {say(texts.librariesLink, { source: sourceName })}
        </Anchor>
        .
      </Text>
      <Numbers {...props} names={isLive ? LIVE_NUMBERS : HOOK_NUMBERS} />
      {isLive ? (
        <Select
          label={texts.removal}
          data={REMOVALS}
          value={draft.removal}
          allowDeselect={false}
          onChange={(removal) => set({ removal: removal as Draft['removal'] })}
          error={errors['auto_remove_watchlist']}
        />
      ) : null}
      {source?.ratings !== true || raters.length === 0 ? null : (
        <MultiSelect
          label={texts.ratings}
          description={texts.ratingsHelp}
          data={[...raters]}
          value={[...draft.ratings]}
          onChange={(ratings) => set({ ratings })}
          error={errors['targets']}
        />
      )}
      <LeftOut draft={draft} set={set} errors={errors} />
    </Stack>
  )
}

function Numbers({
  draft,
  onChange,
  errors,
  overview,
  isLive,
  names,
}: OptionsFieldsProps & { readonly names: readonly NumberName[] }) {
  return (
    <Fieldset legend={texts.when}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {names.map((name) => {
          const standard = standardOf(overview, name, isLive)
          return (
            <NumberInput
              key={name}
              label={texts[name]}
              description={texts[`${name}Help`]}
              placeholder={standard === undefined ? texts.inherit : say(texts.standard, { n: standard })}
              value={draft.numbers[name] ?? ''}
              onChange={(value) => onChange({ ...draft, numbers: { ...draft.numbers, [name]: value } })}
              error={errors[name]}
            />
          )
        })}
      </SimpleGrid>
    </Fieldset>
  )
}

function LeftOut({
  draft,
  set,
  errors,
}: {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
  readonly errors: FieldErrors
}) {
  return (
    <Fieldset legend={texts.ignore}>
      <Stack gap="sm">
        <Checkbox
          label={texts.liveTv}
          checked={draft.liveTv}
          onChange={(event) => set({ liveTv: event.currentTarget.checked })}
        />
        <Checkbox
          label={texts.trailers}
          checked={draft.trailers}
          onChange={(event) => set({ trailers: event.currentTarget.checked })}
        />
        <NumberInput
          label={texts.minutes}
          min={0}
          max={1_440}
          value={draft.minutes}
          onChange={(value) => set({ minutes: typeof value === 'number' ? value : '' })}
          error={errors['min_duration_seconds']}
        />
        {(
          [
            ['folders', 'ignored_path_prefixes'],
            ['files', 'ignored_filename_patterns'],
            ['editions', 'ignored_editions'],
          ] as const
        ).map(([name, field]) => (
          <TagsInput
            key={name}
            label={texts[name]}
            description={texts.listHelp}
            value={[...draft[name]]}
            onChange={(values) => set({ [name]: values })}
            error={errors[field]}
            acceptValueOnBlur
          />
        ))}
      </Stack>
    </Fieldset>
  )
}
