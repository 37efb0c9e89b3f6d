/** The attribute that marks processes of the demo and all their data. Removing the demo deletes what has it. */
export const DEMO_ATTRIBUTE = 'hearth.demo'
