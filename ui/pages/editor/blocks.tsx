// The blocks of an account; each can be removed.
import { CloseButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useChange } from '../../api/query.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { editor } from '../../texts/en/editor.ts'
import { say } from '../../texts/say.ts'
import { type Dataset, nameOfKey, type Place } from './state.ts'

const { blocks: texts } = editor

interface BlocksProps {
  readonly place: Extract<Place, { readonly type: 'account' }>
  readonly data: Dataset
}

export function Blocks({ place: { kind, provider, instance }, data }: BlocksProps) {
  const save = useChange('POST /api/editor', { refresh: [['editor']] })
  const { manual_blocks: blocks, policy_revision: revision } = data
  return (
    <Stack gap="xs" component="section" aria-label={texts.title}>
      <Title order={2} size="h5">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.text}
      </Text>
      <Group gap="xs">
        {blocks.map((block) => {
          const name = nameOfKey(block, data)
          return (
            <Paper key={block} withBorder px="xs" py="3xs">
              <Group gap="2xs" wrap="nowrap">
                <Text size="sm" truncate maw={260} title={block} dir="auto">
                  {name}
                </Text>
                <CloseButton
                  size="sm"
                  aria-label={say(texts.unblock, { name })}
                  disabled={save.isPending}
                  onClick={() =>
                    save.mutate(
                      {
                        body: {
                          ...{ kind, source: 'state', provider, provider_instance: instance, revision },
                          ...{ blocks: [], original_blocks: [block] },
                        },
                      },
                      { onError: (error) => notifyFailure(error) },
                    )
                  }
                />
              </Group>
            </Paper>
          )
        })}
      </Group>
    </Stack>
  )
}
