// The schedule settings, simple or advanced.
import {
  Anchor,
  Button,
  Group,
  NumberInput,
  Paper,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useChange } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { ChangedElsewhere } from '../../parts/page/changed-elsewhere.tsx'
import { useDraft } from '../../parts/page/use-draft.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { say } from '../../texts/say.ts'
import { Jobs } from './jobs.tsx'
import { Rules } from './rules.tsx'
import type { Config, Pairs } from './data.ts'

type Kind = keyof typeof texts.kinds
type Mode = keyof typeof texts.simple.modes

interface ScheduleFormProps {
  readonly config: Config
  readonly pairs: Pairs
  readonly zone: string
  readonly onSaved: () => Promise<unknown>
  readonly onRunJob: (id: string) => void
}

const KINDS = Object.keys(texts.kinds) as Kind[]
const MODES = Object.entries(texts.simple.modes).map(([value, label]) => ({ value, label }))
const ZONES = [
  { value: '', label: texts.zone.server },
  ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
]

export function ScheduleForm({ config, pairs, zone, onSaved, onRunJob }: ScheduleFormProps) {
  const [draft, setDraft, reload] = useDraft(config)
  const save = useChange('POST /api/scheduling', {
    onDone: ({ config: saved }) => {
      setDraft(saved)
      notifyDone(texts.done.saved)
      void onSaved()
    },
  })
  const set = (part: Partial<Config>) => setDraft((now) => ({ ...now, ...part }))
  const setAdvanced = (part: Partial<Config['advanced']>) =>
    setDraft((now) => ({ ...now, advanced: { ...now.advanced, ...part } }))
  const kind: Kind = draft.advanced.enabled ? 'advanced' : draft.enabled && draft.mode !== 'disabled' ? 'simple' : 'off'
  const { workflows, capture_jobs: captures, backup_jobs: backups } = draft.advanced
  const others = workflows.length + captures.length + backups.length

  function choose(next: Kind) {
    setAdvanced({ enabled: next === 'advanced' })
    set({
      enabled: next !== 'off',
      mode: next === 'simple' && draft.mode === 'disabled' ? 'every_n_hours' : draft.mode,
    })
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ body: draft as never })
      }}
    >
      <Paper withBorder p="md" component="section" aria-label={texts.settings.title}>
        <Title order={2} size="h4" mb="md">
          {texts.settings.title}
        </Title>
        <Stack gap="lg">
          <ChangedElsewhere reload={reload} />
          <Radio.Group value={kind} onChange={(next) => choose(next as Kind)} aria-label={texts.settings.label}>
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              {KINDS.map((one) => (
                <Radio.Card key={one} value={one} p="md" aria-label={texts.kinds[one].title}>
                  <Group wrap="nowrap" align="flex-start">
                    <Radio.Indicator mt="3xs" />
                    <div>
                      <Text fw={500}>{texts.kinds[one].title}</Text>
                      <Text size="sm" c="dimmed">
                        {texts.kinds[one].text}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </SimpleGrid>
          </Radio.Group>
          {kind === 'simple' ? <Simple draft={draft} onChange={set} /> : null}
          {kind !== 'advanced' ? null : (
            <>
              <Jobs
                jobs={draft.advanced.jobs}
                saved={config.advanced.jobs}
                pairs={pairs}
                onChange={(jobs) => setAdvanced({ jobs })}
                onRun={onRunJob}
              />
              <Rules
                rules={draft.advanced.event_rules}
                pairs={pairs}
                onChange={(rules) => setAdvanced({ event_rules: rules })}
              />
              {others === 0 ? null : (
                <Text size="sm" c="dimmed">
                  {say(texts.kept, { n: others })}
                </Text>
              )}
            </>
          )}
          {kind === 'off' ? null : <Timing draft={draft} zone={zone} onChange={set} />}
          {save.error === null ? null : <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </Paper>
    </form>
  )
}

interface PartProps {
  readonly draft: Config
  readonly onChange: (part: Partial<Config>) => void
}

function Simple({ draft, onChange }: PartProps) {
  const { simple } = texts
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        label={simple.mode}
        data={MODES}
        value={draft.mode}
        allowDeselect={false}
        onChange={(mode) => onChange({ mode: mode as Mode })}
      />
      {draft.mode !== 'every_n_hours' ? null : (
        <NumberInput
          label={simple.hours}
          min={1}
          max={168}
          value={draft.every_n_hours}
          onChange={(value) => onChange({ every_n_hours: Number(value) || 1 })}
        />
      )}
      {draft.mode !== 'daily_time' ? null : (
        <TextInput
          type="time"
          label={simple.time}
          required
          value={draft.daily_time}
          onChange={(event) => onChange({ daily_time: event.currentTarget.value })}
        />
      )}
      {draft.mode !== 'custom_interval' ? null : (
        <NumberInput
          label={simple.minutes}
          min={15}
          value={draft.custom_interval_minutes}
          onChange={(value) => onChange({ custom_interval_minutes: Number(value) || 15 })}
        />
      )}
    </SimpleGrid>
  )
}

function Timing({ draft, zone, onChange }: PartProps & { readonly zone: string }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Stack gap="2xs" align="flex-start">
        <Select
          w="100%"
          label={texts.zone.label}
          description={texts.zone.help}
          data={ZONES}
          value={draft.timezone}
          searchable
          allowDeselect={false}
          onChange={(timezone) => onChange({ timezone: timezone ?? '' })}
        />
        {draft.timezone === zone ? null : (
          <Anchor component="button" type="button" size="sm" onClick={() => onChange({ timezone: zone })}>
            {say(texts.zone.use, { zone })}
          </Anchor>
        )}
      </Stack>
      <NumberInput
        label={texts.jitter.label}
        description={texts.jitter.help}
        min={0}
        max={3_600}
        value={draft.jitter_seconds}
        onChange={(value) => onChange({ jitter_seconds: Number(value) || 0 })}
      />
    </SimpleGrid>
  )
}
