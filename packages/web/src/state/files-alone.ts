/** Whether `hearth view` serves the application: local files only, without a server to query. */
export const HAS_FILES_ALONE = document.documentElement.dataset['only'] === 'files'
