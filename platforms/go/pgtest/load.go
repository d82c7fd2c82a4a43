package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/jackc/pgx/v5"
)

// dataset is the part of dataset.toml and spec.toml of a specification that a loader needs.
type dataset struct {
	Scales   map[string]map[string]int64
	Generate []struct{ Table, Over, SQL string }
}

// SpecFile is the path of a file of a specification, found from the test's folder upwards.
func SpecFile(spec, name string) string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for parent := filepath.Dir(folder); parent != folder; folder, parent = parent, filepath.Dir(parent) {
		folder := filepath.Join(parent, "specs", spec)
		if _, err := os.Stat(filepath.Join(folder, "spec.toml")); err == nil {
			return filepath.Join(folder, name)
		}
	}
	panic("specs/" + spec + " is in no folder above the tests")
}

// load creates the database and fills it: schema.sql, the statements of dataset.toml, keys.sql.
func load(name, spec, folder string) error {
	statements, err := script(spec, folder, "tiny")
	if err != nil {
		return err
	}
	if err := administer(`CREATE DATABASE "` + name + `" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`); err != nil {
		return err
	}
	return connected(address(name), func(ctx context.Context, connection *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := connection.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%.60s…: %w", strings.TrimSpace(statement), err)
			}
		}
		return nil
	})
}

func script(spec, folder, scale string) ([]string, error) {
	schema, err := os.ReadFile(SpecFile(spec, folder+"/schema.sql"))
	if err != nil {
		return nil, err
	}
	keys, err := os.ReadFile(SpecFile(spec, folder+"/keys.sql"))
	if err != nil {
		return nil, err
	}
	var d dataset
	for _, file := range []string{folder + "/dataset.toml", "spec.toml"} {
		if _, err := toml.DecodeFile(SpecFile(spec, file), &d); err != nil {
			return nil, err
		}
	}
	statements := []string{string(schema)}
	for _, generate := range d.Generate {
		values := []string{"{first}", "0", "{last}", fmt.Sprint(d.Scales[scale][generate.Over] - 1)}
		for name, value := range d.Scales[scale] {
			values = append(values, "{"+name+"}", fmt.Sprint(value))
		}
		statements = append(statements, strings.NewReplacer(values...).Replace(generate.SQL))
	}
	return append(statements, string(keys)), nil
}
