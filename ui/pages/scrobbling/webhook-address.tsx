// A webhook address for a media server, with copy and replace.
import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { IconCircleCheck, IconRefresh } from '@tabler/icons-react'
import { useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Copy } from '../../parts/values/copy.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'

const { address: texts } = scrobbling

const WAITING_MS = 3_000
const WATCHING_MS = 30_000

/** Polls whether an event has arrived at the address. */
function FirstEvent({ use, sourceName: source }: { readonly use: string; readonly sourceName: string }) {
  const { data, error } = useRead(['tokens', 'uses'], 'GET /api/tokens', undefined, {
    refetchInterval: ({ state: { data: known } }) =>
      known?.others.find(({ id }) => id === use)?.last_used_at == null ? WAITING_MS : WATCHING_MS,
  })
  const known = data?.others.find(({ id }) => id === use)
  // Its line, until it is known.
  if (data === undefined && error === null) return <Text size="sm">{'\u00a0'}</Text>
  if (known === undefined) return null
  return (
    <Text size="sm" role="status" component="div">
      {known.last_used_at === null ? (
        <Group gap="xs">
          <Loader size={14} aria-hidden />
          {say(texts.waiting, { source })}
        </Group>
      ) : (
        <Group gap="xs">
          <IconCircleCheck size={16} aria-hidden color="var(--mantine-color-green-text)" />
          <span>
            {texts.received} <TimeText at={known.last_used_at * 1_000} />
          </span>
        </Group>
      )}
    </Text>
  )
}

export function WebhookAddress({
  label = texts.label,
  url,
  sourceName: source,
  setup,
  use,
  onRenew,
}: {
  readonly label?: string
  readonly url: string
  readonly sourceName: string
  /** The instructions of the service on where to enter it. */
  readonly setup: string
  /** The id in the token list, which records the last use. */
  readonly use: string
  /** Replaces the address. */
  readonly onRenew?: () => Promise<unknown>
}) {
  async function renew() {
    const isSure = await confirm({
      title: texts.renewTitle,
      text: say(texts.renewText, { source }),
      action: texts.renew,
    })
    if (!isSure) return
    try {
      await onRenew?.()
      notifyDone(say(texts.renewed, { source }))
    } catch (error) {
      notifyFailure(error)
    }
  }

  return (
    <Stack gap="xs">
      <TextInput
        label={label}
        description={texts.help}
        value={url}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group gap="xs">
        <Copy text={url} label={texts.copy} />
        {onRenew === undefined ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={() => void renew()}
          >
            {texts.renew}
          </Button>
        )}
      </Group>
      <FirstEvent use={use} sourceName={source} />
      {setup === '' ? null : (
        <Text size="sm" c="dimmed">
          {setup}
        </Text>
      )}
    </Stack>
  )
}
