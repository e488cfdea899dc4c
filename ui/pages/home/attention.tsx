// Issues that need the user, each with one action.
import { serviceText } from '../../texts/service-text.ts'
import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { IconAlertTriangle, IconHandStop, IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { request, type Answer } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'

type Item = Answer<'GET /api/attention'>['items'][number]

const SHOWN = 4
const STYLES = {
  error: { color: 'red', icon: IconAlertTriangle },
  warning: { color: 'orange', icon: IconHandStop },
  info: { color: 'blue', icon: IconInfoCircle },
} as const
const { attention: texts } = home

/** Renders nothing if there are no issues. */
export function AttentionList({
  query: { data, error, refetch },
}: {
  readonly query: UseQueryResult<Answer<'GET /api/attention'>, Error>
}) {
  const [showsAll, setShowsAll] = useState(false)
  if (data === undefined) return error === null ? null : <Failure error={error} onRetry={() => void refetch()} />
  if (data.items.length === 0) return null
  const shown = showsAll ? data.items : data.items.slice(0, SHOWN)
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <Paper withBorder px="md">
        {shown.map((item, index) => (
          <AttentionItem key={item.id} item={item} isFirst={index === 0} />
        ))}
      </Paper>
      {shown.length === data.items.length ? null : (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
            {say(texts.more, { n: data.items.length })}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function AttentionItem({ item, isFirst }: { readonly item: Item; readonly isFirst: boolean }) {
  const title = serviceText(item.title)
  const { color, icon: Icon } = STYLES[item.severity]
  return (
    <Group
      role="group"
      aria-label={title}
      gap="md"
      py="sm"
      wrap="nowrap"
      align="flex-start"
      style={isFirst ? undefined : { borderTop: '1px solid var(--row-line)' }}
    >
      <ThemeIcon variant="light" color={color} size="lg" radius="md">
        <Icon size={20} aria-label={texts.severities[item.severity]} />
      </ThemeIcon>
      <Group justify="space-between" gap="sm" className="grow">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed" component="div">
            {serviceText(item.detail)} {item.since === null ? null : <TimeText at={item.since * 1000} />}
          </Text>
        </div>
        <Action item={item} />
      </Group>
    </Group>
  )
}

// A link to a page for the decision is preferred over a direct action.
function Action({ item }: { readonly item: Item }) {
  const { action } = item
  const [title, detail] = [serviceText(item.title), serviceText(item.detail)]
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  if (action === null) return null
  const { path, call } = action
  const label = serviceText(action.label)
  const name = say(texts.act, { action: label, title })
  if (path !== null)
    return (
      <Button size="xs" variant="default" component={Link} href={path} aria-label={name}>
        {label}
      </Button>
    )
  if (call === null) return null

  async function act({ method, path: address, body }: NonNullable<typeof call>) {
    if (!(await confirm({ title, text: detail, action: label, destructive: false }))) return
    setBusy(true)
    try {
      await request(method, address, body === null ? {} : { body })
      notifyDone(texts.done)
      await client.invalidateQueries()
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="xs" variant="default" loading={isBusy} onClick={() => void act(call)} aria-label={name}>
      {label}
    </Button>
  )
}
