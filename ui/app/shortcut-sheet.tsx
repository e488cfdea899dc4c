import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import { shell } from '../texts/en/shell.ts'
import { GO_TO } from './shortcuts.ts'

const { shortcuts: texts, pages } = shell
const IS_MAC = /Mac|iP(?:hone|ad)/.test(navigator.platform)

const GENERAL = [
  [[IS_MAC ? '⌘' : texts.control, 'K'], texts.palette],
  [['/'], texts.search],
  [['?'], texts.help],
  [[texts.escape], texts.close],
] as const
const LISTS = [
  [['←', '↑', '↓', '→'], texts.move],
  [[texts.enter], texts.open],
  [[texts.space], texts.select],
] as const

export default function ShortcutSheet({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.title} size="lg">
      <Shortcuts />
    </Modal>
  )
}

export function Shortcuts() {
  const places = Object.entries(GO_TO).map(([key, area]) => [['G', key.toUpperCase()], pages[area]] as const)
  return (
    <div className="shortcuts">
      <Part title={texts.everywhere} rows={GENERAL} />
      <Part title={texts.goTo} rows={places} />
      <Part title={texts.lists} rows={LISTS} />
    </div>
  )
}

function Part({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly (readonly [keys: readonly string[], what: string])[]
}) {
  return (
    <Stack gap="xs" component="section">
      <Title order={3} size="h5">
        {title}
      </Title>
      {rows.map(([keys, what]) => (
        <Group key={what} justify="space-between" wrap="nowrap" gap="md">
          <Text size="sm">{what}</Text>
          <Group gap="2xs" wrap="nowrap">
            {keys.map((key) => (
              <Fragment key={key}>
                <Kbd>{key}</Kbd>
              </Fragment>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
