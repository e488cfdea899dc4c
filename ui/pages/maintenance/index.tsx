// Maintenance: disk, databases, maintenance actions, event archive, tracker, service.
import { SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { Page } from '../../parts/page/page.tsx'
import { Restarting } from '../../parts/page/restarting.tsx'
import { maintenance as texts } from '../../texts/en/maintenance.ts'
import { shell } from '../../texts/en/shell.ts'
import { Actions } from './actions.tsx'
import { Archive } from './archive.tsx'
import { Databases } from './databases.tsx'
import { Disk } from './disk.tsx'
import { Service } from './service.tsx'
import { Tracker } from './tracker.tsx'
import { Work } from './work.tsx'

export default function Maintenance() {
  const [leaving, setLeaving] = useState<string | null>(null)
  return (
    <Page title={shell.pages.maintenance} text={texts.intro}>
      {leaving !== null ? (
        <Restarting text={leaving} />
      ) : (
        <Stack gap="xl">
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Disk />
            <Stack gap="md" className="stretched">
              <Work />
              <Archive />
            </Stack>
          </SimpleGrid>
          <Databases onRestart={setLeaving} />
          <Actions />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Tracker />
            <Service onRestart={setLeaving} />
          </SimpleGrid>
        </Stack>
      )}
    </Page>
  )
}
