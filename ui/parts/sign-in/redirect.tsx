// A page of the service asks in a window of its own; where the browser opens none, a link does.
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { WaitingLine } from './code.tsx'
import type { Waiting } from './use-flow.ts'

const texts = signIn.redirect

export interface PageToVisitProps extends Waiting {
  readonly label: string
  readonly onCancel: () => void
  readonly onFinished: () => void
}

export function PageToVisit({ label, url, isBlocked, mustBeTold, isLost, onCancel, onFinished }: PageToVisitProps) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text fw={600}>{isBlocked ? texts.blockedTitle : texts.title}</Text>
        <Text size="sm">{isBlocked ? texts.blocked : say(texts.text, { label })}</Text>
        {url === null || !/^https?:/i.test(url) ? null : (
          <Group>
            {/* No "noreferrer": the service there sends the browser back here. */}
            <Button component="a" href={url} target="_blank" rel="noopener" variant={isBlocked ? 'filled' : 'default'} rightSection={<IconExternalLink size={16} aria-hidden />}>{isBlocked ? texts.open : texts.again}</Button>
          </Group>
        )}
        {mustBeTold ? <Text size="sm" c="dimmed">{texts.stillSignedIn}</Text> : <WaitingLine isLost={isLost} text={texts.waiting} />}
        <Group gap="xs">
          {mustBeTold ? <Button size="compact-sm" onClick={onFinished}>{texts.finished}</Button> : null}
          <Button variant="subtle" size="compact-sm" onClick={onCancel}>{signIn.cancel}</Button>
        </Group>
      </Stack>
    </Paper>
  )
}
