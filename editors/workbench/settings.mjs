// The settings of the folder that is open, as a person changes them: in their file.
import fs from 'node:fs';
import path from 'node:path';

export class Settings {
    #folder;

    constructor(opened) {
        this.#folder = path.join(opened, '.vscode');
    }

    set(values) {
        fs.mkdirSync(this.#folder, { recursive: true });
        fs.writeFileSync(path.join(this.#folder, 'settings.json'), JSON.stringify(values, null, 4));
    }

    remove() {
        fs.rmSync(this.#folder, { recursive: true });
    }
}
