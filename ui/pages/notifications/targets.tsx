// The targets of messages, each with a test button.
import { ActionIcon, Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useChange } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { notifications } from '../../texts/en/notifications.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { KEY, type Notifier, type Overview, reasonText, type Target } from './state.ts'
import type { Draft } from './target-form.tsx'
import { serviceText } from '../../texts/service-text.ts'
import { Mark } from '../../parts/values/service-mark.tsx'

const { targets: texts } = notifications
const names = new Intl.ListFormat(locale)

interface TargetsProps {
  readonly overview: Overview
  readonly add: ReactNode
  readonly onChange: (draft: Draft) => void
}

export function Targets({ overview: { targets, notifiers, rules }, add, onChange }: TargetsProps) {
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {targets.length === 0 ? texts.noneText : texts.text}
          </Text>
        </div>
        {add}
      </Group>
      {targets.length === 0 ? null : (
        <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
          {targets.map((target) => {
            const notifier = notifiers.find(({ id }) => id === target.notifier)
            return (
              <Line
                key={target.id}
                target={target}
                notifier={notifier}
                usedBy={rules.filter((rule) => rule.targets.includes(target.id)).map(({ name }) => name)}
                {...(notifier === undefined || notifier.fixed
                  ? {}
                  : { onChange: () => onChange({ notifier, target }) })}
              />
            )
          })}
        </Paper>
      )}
    </Stack>
  )
}

interface LineProps {
  readonly target: Target
  readonly notifier: Notifier | undefined
  readonly usedBy: readonly string[]
  readonly onChange?: () => void
}

function Line({ target: { id, name, enabled, notifier: notifierId }, notifier, usedBy, onChange }: LineProps) {
  const label = serviceText(notifier?.label ?? notifierId)
  const test = useChange('POST /api/notifications/test', { refresh: [KEY] })
  const remove = useChange('DELETE /api/notifications/targets/{id}', {
    refresh: [KEY],
    onDone: () => notifyDone(say(texts.removed, { name })),
  })

  async function ask() {
    if (usedBy.length > 0) {
      notifyFailure(say(texts.inUse, { name, rules: names.format(usedBy) }), texts.inUseTitle)
      return
    }
    const title = say(texts.removeTitle, { name })
    if (!(await confirm({ title, text: texts.removeText, action: say(notifications.remove, { name }) }))) return
    remove.mutate({ params: { id } }, { onError: (error) => notifyFailure(error) })
  }

  return (
    <Stack component="li" className="line" py="sm" gap="xs">
      <Group justify="space-between">
        <Mark mark={notifier?.mark} name={label} size={32} />
        <div className="grow-field" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {notifier?.fixed === true ? say(texts.fixed, { label }) : label}
          </Text>
        </div>
        <Group gap="xs">
          {enabled ? null : <StatusBadge tone="idle" label={notifications.off} />}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconSend size={14} aria-hidden />}
            aria-label={say(texts.testOf, { name })}
            loading={test.isPending}
            disabled={!enabled}
            onClick={() => test.mutate({ body: { target: id } })}
          >
            {texts.test}
          </Button>
          {onChange === undefined ? null : (
            <>
              <ActionIcon variant="subtle" aria-label={say(notifications.change, { name })} onClick={onChange}>
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
            </>
          )}
        </Group>
      </Group>
      {test.error === null ? null : <Failure error={test.error} />}
      {test.data === undefined || test.isPending ? null : test.data.ok ? (
        <Alert color="green" role="status">
          {say(texts.arrived, { label })}
        </Alert>
      ) : (
        <Alert color="orange" role="alert">
          {say(texts.failed, { reason: reasonText(test.data.error ?? '') })}
        </Alert>
      )}
    </Stack>
  )
}
