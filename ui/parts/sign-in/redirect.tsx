// Sign-in on a page of the service in a new window, or by a link if the browser blocks the window.
import { Button, Group, Paper, PasswordInput, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useState } from 'react'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { reasonText } from './call.ts'
import { WaitingLine } from './code.tsx'
import type { Waiting } from './use-flow.ts'

const texts = signIn.redirect

interface PageToVisitProps extends Waiting {
  readonly label: string
  readonly onCancel: () => void
  readonly onFinished: () => void
  /** False if the browser blocks the window. */
  readonly onOpen: (url: string) => boolean
  /** null: the page shows nothing to paste. Rejects with the problem of the pasted text. */
  readonly onPaste: ((text: string) => Promise<void>) | null
}

export function PageToVisit({
  label,
  url: given,
  isBlocked,
  needsConfirmation,
  isClosed,
  isLost,
  onCancel,
  onFinished,
  onOpen,
  onPaste,
}: PageToVisitProps) {
  const url = given !== null && /^https?:/i.test(given) ? given : null
  const { title, text } =
    url === null
      ? texts.elsewhere
      : isBlocked
        ? texts.blocked
        : onPaste !== null
          ? texts.pasted
          : isClosed
            ? texts.closed
            : texts.opened
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <div role="status">
          <Text fw={600}>{title}</Text>
          <Text size="sm">{say(text as '{label}', { label })}</Text>
        </div>
        {url === null ? null : (
          <Group>
            {/* No "noreferrer": the sign-in page redirects back here. */}
            <Button
              component="a"
              href={url}
              target="_blank"
              rel="noopener"
              variant={isBlocked || isClosed ? 'filled' : 'default'}
              rightSection={<IconExternalLink size={16} aria-hidden />}
              onClick={(event) => {
                if (onOpen(url)) event.preventDefault()
              }}
            >
              {isBlocked ? texts.open : texts.again}
            </Button>
          </Group>
        )}
        {onPaste !== null ? (
          <PasteField onPaste={onPaste} />
        ) : needsConfirmation ? (
          <Text size="sm" c="dimmed">
            {texts.stillSignedIn}
          </Text>
        ) : (
          <WaitingLine isLost={isLost} text={texts.waiting} />
        )}
        <Group gap="xs">
          {needsConfirmation ? (
            <Button size="compact-sm" onClick={onFinished}>
              {texts.finished}
            </Button>
          ) : null}
          <Button variant="subtle" size="compact-sm" onClick={onCancel}>
            {signIn.cancel}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function PasteField({ onPaste }: { readonly onPaste: (text: string) => Promise<void> }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  async function submit() {
    setProblem(null)
    if (text.trim() === '') return setProblem(signIn.reasons.token_required)
    setIsBusy(true)
    try {
      await onPaste(text)
    } catch (error) {
      setProblem(reasonText(error))
      setIsBusy(false)
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="xs">
        <PasswordInput
          label={texts.token}
          description={texts.tokenHelp}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
        />
        <Group>
          <Button type="submit" loading={isBusy}>
            {signIn.start.form}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
