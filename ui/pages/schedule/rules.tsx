// Rules: playback starts a pair.
import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useRead } from '../../api/query.ts'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { say } from '../../texts/say.ts'
import { freeId } from './jobs.tsx'
import type { Config, Pairs } from './data.ts'

type Rule = Config['advanced']['event_rules'][number]

interface RulesProps {
  readonly rules: readonly Rule[]
  readonly pairs: Pairs
  readonly onChange: (rules: Rule[]) => void
}

const { rules: ruleTexts } = texts
const ANY = 'any'
const EVENTS = Object.entries(ruleTexts.events).map(([value, label]) => ({ value, label }))
const SOURCES = Object.entries(ruleTexts.sources).map(([value, label]) => ({ value, label }))
const MEDIAS = Object.entries(ruleTexts.medias).map(([value, label]) => ({ value, label }))

export function Rules({ rules, pairs, onChange }: RulesProps) {
  const put = (index: number, part: Partial<Rule>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)))
  const add = () =>
    onChange([
      ...rules,
      {
        id: freeId('rule', rules),
        active: true,
        source: 'watcher',
        event: 'stop',
        action: { kind: 'sync_pair', pair_id: pairs[0]?.id ?? '' },
        filters: { route_id: '', provider: '', provider_instance: '', account: '', media_type: '', min_progress: 80 },
        guardrails: { cooldown_minutes: 5, dedupe_window_seconds: 30, max_runs_per_hour: 6 },
      },
    ])
  return (
    <section aria-label={ruleTexts.title}>
      <Group justify="space-between" mb="xs">
        <div style={{ flex: '1 1 14rem' }}>
          <Title order={3} size="h5">
            {ruleTexts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {rules.length === 0 ? ruleTexts.noneText : ruleTexts.text}
          </Text>
        </div>
        <Button variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
          {ruleTexts.add}
        </Button>
      </Group>
      <Stack gap="sm">
        {rules.map((rule, index) => (
          <RuleFields
            key={rule.id}
            rule={rule}
            n={index + 1}
            pairs={pairs}
            onChange={(part) => put(index, part)}
            onRemove={() => onChange(rules.filter(({ id }) => id !== rule.id))}
          />
        ))}
      </Stack>
    </section>
  )
}

interface RuleFieldsProps {
  readonly rule: Rule
  readonly n: number
  readonly pairs: Pairs
  readonly onChange: (part: Partial<Rule>) => void
  readonly onRemove: () => void
}

function RuleFields({ rule, n, pairs, onChange, onRemove }: RuleFieldsProps) {
  const { data: providers } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, {
    staleTime: 300_000,
  })
  const { filters, guardrails } = rule
  const filter = (part: Partial<Rule['filters']>) => onChange({ filters: { ...filters, ...part } })
  const guard = (part: Partial<Rule['guardrails']>) => onChange({ guardrails: { ...guardrails, ...part } })
  const services = [
    { value: ANY, label: ruleTexts.anyProvider },
    ...(providers ?? [])
      .filter(({ configured, name }) => configured || name === filters.provider)
      .map(({ name, label }) => ({ value: name, label })),
  ]
  return (
    <Paper withBorder p="md" role="group" aria-label={say(ruleTexts.one, { n })}>
      <Group justify="space-between" mb="xs">
        <Text fw={500}>{say(ruleTexts.one, { n })}</Text>
        <Group gap="xs">
          <Switch
            label={ruleTexts.active}
            checked={rule.active}
            onChange={(event) => onChange({ active: event.currentTarget.checked })}
          />
          <ActionIcon variant="subtle" color="red" aria-label={say(ruleTexts.remove, { n })} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label={ruleTexts.event}
          data={EVENTS}
          value={rule.event}
          allowDeselect={false}
          onChange={(event) => onChange({ event: event as Rule['event'] })}
        />
        <Select
          label={ruleTexts.pair}
          data={pairs.map(({ id, name }) => ({ value: id, label: name }))}
          value={rule.action.pair_id}
          allowDeselect={false}
          onChange={(pairId) => onChange({ action: { kind: 'sync_pair', pair_id: pairId ?? '' } })}
        />
        <Select
          label={ruleTexts.source}
          data={SOURCES}
          value={rule.source}
          allowDeselect={false}
          onChange={(source) => onChange({ source: source as Rule['source'] })}
        />
        <Select
          label={ruleTexts.provider}
          data={services}
          value={filters.provider || ANY}
          allowDeselect={false}
          onChange={(provider) => filter({ provider: provider === ANY || provider === null ? '' : provider })}
        />
        <Select
          label={ruleTexts.media}
          data={MEDIAS}
          value={filters.media_type || ANY}
          allowDeselect={false}
          onChange={(media) => filter({ media_type: media === ANY ? '' : (media as Rule['filters']['media_type']) })}
        />
        <TextInput
          label={ruleTexts.account}
          value={filters.account}
          onChange={(event) => filter({ account: event.currentTarget.value })}
        />
        <NumberInput
          label={ruleTexts.progress}
          min={0}
          max={100}
          value={filters.min_progress}
          onChange={(value) => filter({ min_progress: Number(value) || 0 })}
        />
        <NumberInput
          label={ruleTexts.cooldown}
          min={0}
          value={guardrails.cooldown_minutes}
          onChange={(value) => guard({ cooldown_minutes: Number(value) || 0 })}
        />
        <NumberInput
          label={ruleTexts.perHour}
          description={ruleTexts.perHourHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={0}
          value={guardrails.max_runs_per_hour}
          onChange={(value) => guard({ max_runs_per_hour: Number(value) || 0 })}
        />
      </SimpleGrid>
    </Paper>
  )
}
