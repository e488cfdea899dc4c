// The titles that are not synced, of all accounts; each can be synced again.
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useChange, useRead } from '../../api/query.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { titleAddress } from '../../parts/titles/pictures.ts'
import { STOPPED, stopText } from '../../parts/titles/stopped.ts'
import { useNames } from '../../parts/values/names.ts'
import { editor } from '../../texts/en/editor.ts'
import { titlePage } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'

const { stopped: texts } = editor

export function StoppedTitles() {
  const { account } = useNames()
  const { data } = useRead(STOPPED, 'GET /api/stopped-titles')
  const again = useChange('DELETE /api/stopped-titles/{id}', { refresh: [STOPPED, ['library']] })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Title order={2} size="h5">
        {texts.title}
      </Title>
      <ul className="plain-list">
        {data.items.map((stop) => {
          const name = stop.year === null ? stop.title : `${stop.title} (${stop.year})`
          return (
            <Group key={stop.id} component="li" justify="space-between" gap="xs" py="2xs">
              <div className="grow">
                <Anchor
                  component={Link}
                  href={titleAddress(stop.names[0] ?? '')}
                  size="sm"
                  underline="always"
                  dir="auto"
                >
                  {name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {stopText(stop, account)}
                </Text>
              </div>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={say(texts.again, { name })}
                disabled={again.isPending}
                onClick={() => again.mutate({ params: { id: stop.id } }, { onError: (error) => notifyFailure(error) })}
              >
                {titlePage.stop.again}
              </Button>
            </Group>
          )
        })}
      </ul>
    </Stack>
  )
}
