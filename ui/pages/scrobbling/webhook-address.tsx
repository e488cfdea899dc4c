// An address that a media server reports to: to copy, and to replace.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { confirm } from '../../parts/dialogs/confirm.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Copy } from '../../parts/values/copy.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'

const { address: texts } = scrobbling

export function WebhookAddress({
  label = texts.label,
  url,
  sourceName: source,
  setup,
  onRenew,
}: {
  readonly label?: string
  readonly url: string
  readonly sourceName: string
  /** The service's own sentence on where to enter it. */
  readonly setup: string
  /** Makes another address. */
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
    <Stack gap={6}>
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
      {setup === '' ? null : (
        <Text size="sm" c="dimmed">
          {setup}
        </Text>
      )}
    </Stack>
  )
}
