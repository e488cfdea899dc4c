// One import: content of the file, title choices, account, preview and result.
import { Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { useChange, useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { imports as texts } from '../../texts/en/import.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { isWorking, type Import } from './state.ts'
import { Target } from './target.tsx'
import { Titles } from './titles.tsx'
import { serviceText } from '../../texts/service-text.ts'

const WORKING_MS = 1_000

export function ImportPage({ id }: { readonly id: string }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const before = client.getQueryData<Import>(['import', 'one', { params: { import_id: id } }])
  const query = useRead(
    ['import', 'one'],
    'GET /api/import/{import_id}',
    { params: { import_id: id } },
    { refetchInterval: before !== undefined && isWorking(before) ? WORKING_MS : false },
  )
  const forget = useChange('DELETE /api/import/{import_id}', {
    refresh: [['import']],
    onDone: () => {
      notifyDone(texts.one.removed)
      navigate('/import')
    },
  })
  const data = useDrawn(query.data)

  async function ask() {
    const { remove, removeText } = texts.one
    if (await confirm({ title: remove, text: removeText, action: remove, destructive: true }))
      forget.mutate({ params: { import_id: id } })
  }

  return (
    <Page
      title={data === undefined ? shell.pages.import : say(texts.one.title, { name: data.name })}
      text={data === undefined ? undefined : say(texts.one.text, { format: serviceText(data.label), n: data.rows })}
      breadcrumbs={[{ title: shell.pages.import, href: '/import' }]}
      actions={
        data === undefined || isWorking(data) ? undefined : (
          <Button
            variant="default"
            loading={forget.isPending}
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => void ask()}
          >
            {texts.one.remove}
          </Button>
        )
      }
    >
      <QueryView query={query} absent={{ ...texts.absent, href: '/import' }}>
        {(one) => (
          <Stack gap="lg">
            <Counts one={one} />
            {one.titles.total === 0 || isWorking(one) ? null : <Titles one={one} />}
            <Target one={one} />
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

function Counts({ one }: { readonly one: Import }) {
  const { counts } = texts.one
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      {(['matched', 'ambiguous', 'unmatched'] as const).map((what) => (
        <Paper key={what} withBorder p="md">
          <Text size="sm" c="dimmed">
            {counts[what]}
          </Text>
          <Text size="xl" fw={650}>
            {say('{n}', { n: one[what] })}
          </Text>
          <Text size="sm" c="dimmed">
            {counts[`${what}Text`]}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
