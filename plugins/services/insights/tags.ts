export const tags = ['Dashboard, insights, metadata, activity']
