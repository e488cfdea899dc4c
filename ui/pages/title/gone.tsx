// A title that no account has any more: its events remain.
import { Paper, Stack, Title } from '@mantine/core'
import { IconMoodEmpty } from '@tabler/icons-react'
import { Absent } from '../../parts/page/absent.tsx'
import { Page } from '../../parts/page/page.tsx'
import { shell } from '../../texts/en/shell.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { EVENTS, TitleEvents, useTitleEvents } from './events.tsx'

export function Gone({ itemKey }: { readonly itemKey: string }) {
  const events = useTitleEvents([itemKey.replace(/[#@].*$/s, '')])
  const { rows } = events
  const name = rows?.find(({ title }) => title !== null)?.title
  return (
    <Page title={name ?? shell.pages.library} breadcrumbs={[{ title: shell.pages.library, href: '/library' }]}>
      <Stack gap="lg">
        <Absent icon={IconMoodEmpty} title={texts.gone} text={texts.goneText} to={texts.toLibrary} href="/library" />
        {rows === undefined || rows.length === 0 ? null : (
          <Paper component="section" withBorder p="md" aria-label={texts.events} id={EVENTS} tabIndex={-1}>
            <Title order={2} size="h4" mb="sm">
              {texts.events}
            </Title>
            <TitleEvents list={events} />
          </Paper>
        )}
      </Stack>
    </Page>
  )
}
