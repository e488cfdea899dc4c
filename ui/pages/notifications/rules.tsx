// The rules: which events are sent where, and when.
import { ActionIcon, Button, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useChange } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { notifications } from '../../texts/en/notifications.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { RuleDialog } from './rule-form.tsx'
import { KEY, type Overview, type Rule } from './state.ts'
import { serviceText } from '../../texts/service-text.ts'

const { rules: texts } = notifications
const names = new Intl.ListFormat(locale)

export function Rules({ overview }: { readonly overview: Overview }) {
  const { rules, targets } = overview
  const [open, setOpen] = useState<Rule | 'new' | null>(null)
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group justify="space-between">
        <div className="grow-field">
          <Title order={2} size="h4">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {rules.length === 0 ? texts.noneText : texts.text}
          </Text>
        </div>
        <Button
          variant={rules.length === 0 ? 'filled' : 'default'}
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={targets.length === 0}
          onClick={() => setOpen('new')}
        >
          {texts.add}
        </Button>
      </Group>
      {rules.length === 0 ? null : (
        <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
          {rules.map((rule) => (
            <Line key={rule.id} rule={rule} overview={overview} onChange={() => setOpen(rule)} />
          ))}
        </Paper>
      )}
      {open === null ? null : (
        <RuleDialog overview={overview} rule={open === 'new' ? null : open} onClose={() => setOpen(null)} />
      )}
    </Stack>
  )
}

interface LineProps {
  readonly rule: Rule
  readonly overview: Overview
  readonly onChange: () => void
}

function Line({ rule, overview: { events, targets }, onChange }: LineProps) {
  const { id, name, quiet, group_minutes: minutes } = rule
  const toggle = useChange('POST /api/notifications/rules', { refresh: [KEY] })
  const remove = useChange('DELETE /api/notifications/rules/{id}', {
    refresh: [KEY],
    onDone: () => notifyDone(say(texts.removed, { name })),
  })
  const onError = (error: unknown) => notifyFailure(error)
  const isOn = toggle.isPending ? (toggle.variables.body.enabled ?? true) : rule.enabled

  async function ask() {
    const title = say(texts.removeTitle, { name })
    if (await confirm({ title, text: texts.removeText, action: say(notifications.remove, { name }) }))
      remove.mutate({ params: { id } }, { onError })
  }

  return (
    <Group component="li" className="line" py="sm" justify="space-between">
      <div className="grow-field" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text fw={600}>{name}</Text>
        <Text size="sm">
          {say(texts.summary, {
            events: names.format(
              rule.events.map((event) => serviceText(events.find((one) => one.id === event)?.label ?? event)),
            ),
            targets: names.format(rule.targets.map((target) => targetName(targets, target))),
          })}
        </Text>
        <Text size="sm" c="dimmed">
          {[
            ...(minutes === 0 ? [] : [say(texts.grouped, { n: minutes })]),
            ...(quiet.enabled ? [say(texts.quietFrom, { from: quiet.from, to: quiet.to })] : []),
          ].join(' · ')}
        </Text>
      </div>
      <Group gap="xs">
        <Switch
          aria-label={say(texts.on, { name })}
          checked={isOn}
          disabled={toggle.isPending}
          onChange={(event) => toggle.mutate({ body: { ...rule, enabled: event.currentTarget.checked } }, { onError })}
        />
        <ActionIcon variant="subtle" aria-label={say(texts.edit, { name })} onClick={onChange}>
          <IconPencil size={16} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={say(notifications.remove, { name })}
          loading={remove.isPending}
          onClick={() => void ask()}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    </Group>
  )
}

function targetName(targets: Overview['targets'], id: string): string {
  return targets.find((one) => one.id === id)?.name ?? texts.goneTarget
}
