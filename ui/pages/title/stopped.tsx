// The notice on a title that a person stopped.
import { Alert, Button, Group, Text } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { useChange } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { STOPPED, type Stop, stopText } from '../../parts/titles/stopped.ts'
import { useNames } from '../../parts/values/names.ts'
import { titlePage } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import type { TitleData } from './data.ts'

const texts = titlePage.stop

interface StoppedProps {
  readonly title: TitleData
  readonly stop: Stop
  readonly onChange: () => void
}

export function Stopped({ title, stop, onChange }: StoppedProps) {
  const { account } = useNames()
  const again = useChange('DELETE /api/stopped-titles/{id}', { refresh: [STOPPED, ['library']] })
  return (
    <Alert color="gray" variant="light" icon={<IconPlayerPause aria-hidden />} role="status">
      <Group justify="space-between" gap="sm">
        <div className="grow">
          <Text fw={600}>{stopText(stop, account)}</Text>
          <Text size="sm">{title.kind === 'show' ? texts.showText : texts.filmText}</Text>
        </div>
        <Group gap="xs">
          <Button variant="subtle" onClick={onChange}>
            {texts.change}
          </Button>
          <Button
            variant="default"
            loading={again.isPending}
            onClick={() =>
              again.mutate(
                { params: { id: stop.id } },
                {
                  onSuccess: () => notifyDone(say(texts.resumed, { title: title.title })),
                  onError: (error) => notifyFailure(error),
                },
              )
            }
          >
            {texts.again}
          </Button>
        </Group>
      </Group>
    </Alert>
  )
}
