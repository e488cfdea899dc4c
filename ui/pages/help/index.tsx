// Help: the guide, the API reference, the keyboard shortcuts, and what support asks for.
import { Paper, SimpleGrid, Stack, Title } from '@mantine/core'
import { IconApi, IconBook, IconInfoCircle, IconRocket, IconTool } from '@tabler/icons-react'
import { at } from '../../api/base.ts'
import { Shortcuts } from '../../app/shortcut-sheet.tsx'
import { LinkTile } from '../../parts/page/link-tile.tsx'
import { Page } from '../../parts/page/page.tsx'
import { shell } from '../../texts/en/shell.ts'

const { help: texts } = shell

export default function Help() {
  return (
    <Page title={shell.pages.help} text={texts.intro}>
      <Stack gap="xl">
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm" component="ul" className="plain-list">
          {/* Documents of their own, outside of these pages. */}
          <LinkTile href={at('/guide')} isDocument icon={IconBook} {...texts.guide} />
          <LinkTile href={at('/redoc')} isDocument icon={IconApi} {...texts.api} />
          <LinkTile href="/start" icon={IconRocket} {...texts.start} />
          <LinkTile href="/settings/support" icon={IconTool} {...texts.support} />
          <LinkTile href="/settings/about" icon={IconInfoCircle} {...texts.about} />
        </SimpleGrid>
        <Paper withBorder p="md" component="section" aria-label={shell.shortcuts.title}>
          <Stack gap="md">
            <Title order={2} size="h4">
              {shell.shortcuts.title}
            </Title>
            <Shortcuts />
          </Stack>
        </Paper>
      </Stack>
    </Page>
  )
}
