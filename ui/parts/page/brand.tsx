// The sign and the name of the product.
import { Group, Text } from '@mantine/core'
import { shell } from '../../texts/en/shell.ts'

const SIZE = 24

/** The product's sign and name. The shell of the pages knows the sign's address. */
export function Brand() {
  const sign = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href
  return (
    <Group gap={8} wrap="nowrap">
      {sign === undefined ? null : <img src={sign} alt="" width={SIZE} height={SIZE} />}
      <Text fw={700} size="lg">
        {shell.product}
      </Text>
    </Group>
  )
}
