// Seeds of rule files: all elements and attributes, both forms of computed data sources, scripts and descriptions.
#include <string>
#include <string_view>

#include "corpus.hpp"
#include "support/byte_buffer.hpp"

namespace hkpd_fuzz {
namespace {

constexpr std::string_view threshold = R"seed(# More than twice the processors
[Int] $N = $Processors.Count - 1
If ($N -eq 0)
{
  $N = 1
}
ElseIf (($N -gt 64) -and -not ($OS -eq 'Server')) { $N = $([Int] $PhysicalMemory * 1KB) * 0.25 }
Else { $N = [math]::Round($N, 0) + [math]::Abs(-1MB) / 1024 }
$Limit = $N * 2; StaticThreshold -CollectionOfCounterInstances $X -Operator 'gt' -Threshold $Limit -IsTrendOnly $False
)seed";

constexpr std::string_view instance_loop = R"seed($Out = @{}
[int] $i = '';[int] $r = ''
For ($i=0;$i -lt $X.Count;$i++)
{
  $One = $X[$i]
  For ($a=0;$a -lt $Y.Count;$a++)
  {
    If ($One.CounterInstance -eq $Y[$a].CounterInstance) { $Other = $Y[$a] }
  }
  $al = New-Object System.Collections.ArrayList
  For ($v=0;$v -lt $One.Value.Count;$v++)
  {
    If (($One.Value[$v] -ge 1) -or (IsGreaterThanZero $Other.Value[$v]))
    {
      [int]$z = [double]$One.QuantizedAvg[$v] / ($Other.Value[$v] + 1)
      [void] $al.Add($z)
    }
    Else { [void] $al.Add(0) }
  }
  $s = "\\$($One.CounterComputer)\$($One.CounterObject)($($One.CounterInstance))\Out"
  $Out.Add($s,$al)
}
)seed";

constexpr std::string_view server_loop = R"seed($Out = @{}
For ($a=0;$a -lt $X.Count;$a++)
{
  $sA = ExtractSqlNamedInstanceFromCounterObjectPath -sCounterObjectPath $X[$a].CounterObject
  $sAC = "$($X[$a].CounterComputer)" + '/' + "$sA"
  $m = -1
  For ($b=0;$b -lt $Y.Count;$b++)
  {
    $sB = ExtractSqlNamedInstanceFromCounterObjectPath -sCounterObjectPath $Y[$b].CounterObject
    $sBC = "$($Y[$b].CounterComputer)" + '/' + "$sB"
    If ($sAC -eq $sBC) { $m = $b }
  }
  If ($m -ge 0)
  {
    $bl = New-Object System.Collections.ArrayList
    For ($v=0;$v -lt $X[$a].Value.Count;$v++)
    {
      [void] $bl.Add($X[$a].Value[$v] / $Y[$m].Value[$v] * 100)
    }
    $s = "x"
    $Out.Add($s,$bl)
  }
}
)seed";

constexpr std::string_view description = R"seed(<p class="x">One <B>two</B> &amp; <i>three</i><br/>
<a href="https://example.org/?a=1&b=2">four</a></p><ul><li>five<li><code>six</code></ul>
<pre>seven
  eight</pre><script>nine</script><!-- ten --><img src=x onerror=y> &lt;b&gt; &#x202E; <ol>eleven</ol>)seed";

std::string source(std::string_view type, std::string_view variable, std::string_view more) {
    return std::string("<DATASOURCE TYPE='")
        .append(type)
        .append("' NAME='")
        .append(variable)
        .append("' COLLECTIONVARNAME='")
        .append(variable)
        .append("' ")
        .append(more)
        .append("</DATASOURCE>");
}

std::string analysis(std::string_view computed) {
    const std::string plain = "StaticThreshold -CollectionOfCounterInstances $Out -Operator 'ge' -Threshold 0.5";
    return "<ANALYSIS NAME='N' ENABLED='True' CATEGORY='C' PRIMARYDATASOURCE='X' ID='{1}'>" +
           source("CounterLog", "X",
                  "EXPRESSIONPATH='\\SQLServer:O(*)\\C' ISCOUNTEROBJECTREGULAREXPRESSION='True' "
                  "REGULAREXPRESSIONCOUNTERPATH='\\(MSSQL|SQLServer).*:O(*)\\C'><EXCLUDE INSTANCE='_T*'/>") +
           source("CounterLog", "Y", "EXPRESSIONPATH='\\O*(*)\\D?'>") +
           source("CounterLog", "Processors", "EXPRESSIONPATH='\\Processor(*)\\% Processor Time'>") +
           std::string(computed) + "<THRESHOLD NAME='t' CONDITION='Critical' LEASTSECONDS='1'><CODE><![CDATA[" +
           std::string(threshold) + "]]></CODE></THRESHOLD><THRESHOLD NAME='u' CONDITION='Warning'><CODE>" + plain +
           "</CODE></THRESHOLD><THRESHOLD NAME='v'><CODE>" + plain +
           " -IsTrendOnly $True</CODE></THRESHOLD><DESCRIPTION><![CDATA[" + std::string(description) +
           "]]></DESCRIPTION></ANALYSIS>";
}

std::string file(std::string_view content) {
    return std::string("<?xml version='1.0'?>\n<PAL NAME='Seed'>")
        .append("<QUESTION QUESTIONVARNAME='OS' DATATYPE='options' DEFAULTVALUE='Server' OPTIONS='Server,Other'>?")
        .append("</QUESTION><QUESTION QUESTIONVARNAME='PhysicalMemory' DEFAULTVALUE='16'/>")
        .append("<QUESTION QUESTIONVARNAME='B' DATATYPE='boolean' DEFAULTVALUE='True'/>")
        .append(content)
        .append("<INHERITANCE FILEPATH='Other.xml'/></PAL>");
}

}  // namespace

bool write_rule_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path folder = testdata / "corpus" / "rules";
    const auto computed = [](std::string_view loop) {
        return source("Generated", "Out",
                      "EXPRESSIONPATH='\\O(*)\\Out'><CODE><![CDATA[" + std::string(loop) + "]]></CODE>");
    };
    const std::string expression =
        file(analysis(source("Generated", "Out", "EXPRESSIONPATH='\\O(*)\\Out' EXPRESSION='100 * [X] / [Y]'>")));
    std::u16string wide = u"\uFEFF";
    wide.append(expression.begin(), expression.end());
    return write(folder / "expression.xml", expression) && write(folder / "utf-16.xml", blob::utf16(wide)) &&
           write(folder / "instances.xml", file(analysis(computed(instance_loop)))) &&
           write(folder / "servers.xml", file(analysis(computed(server_loop)))) &&
           write(folder / "threshold", threshold) && write(folder / "instance-loop", instance_loop) &&
           write(folder / "server-loop", server_loop) &&
           write(folder / "source-expression", "100 * [A] / ([A] + [B])") &&
           write(folder / "description", description) &&
           write(folder / "entities.xml", "<!DOCTYPE PAL [<!ENTITY a 'b'>]><PAL NAME='&a;&#65;&#xD800;'/>");
}

}  // namespace hkpd_fuzz
