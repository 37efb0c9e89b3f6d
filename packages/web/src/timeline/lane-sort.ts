/** Sort orders of the lanes of a timeline. */
export const LANE_SORTS = ['name', 'busy', 'first'] as const
export type LaneSort = (typeof LANE_SORTS)[number]
